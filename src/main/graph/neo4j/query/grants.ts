/** What allows a node by itself, and nodes from which steps lead to it: its type, its id, its owners and grants. */
import { ALLOWED, type AccessRule, OWNS, SECURITY } from '../../access.js';
import { propertyName, quoted, relationshipLabel } from '../connection/names.js';
import type { Parameters } from '../connection/statement.js';

const OWNING = relationshipLabel(OWNS);
/** Types of the relationships from principals to what they have rights on. */
export const GRANTING = `${OWNING}|${relationshipLabel(SECURITY)}`;

/** Conditions that allow a node and count at the end of propagation; all that are made share their parameters. */
export interface Grants {
  byItself(alias: string): string[];
  byPrincipals(alias: string): string[];
}

/** The grants of a rule: types, ids, ownership and granted rights. */
export function grantsOf(rule: AccessRule, params: Parameters): Grants {
  const { types, ids, principals } = rule;
  const right = principals.length === 0 ? '' : params.bind(rule.right);
  return {
    byItself: (alias) => [
      ...(types.length === 0 ? [] : [`${alias}.type IN ${params.among(types)}`]),
      ...(ids.length === 0 ? [] : [`${alias}.id IN ${params.among(ids)}`]),
    ],
    // Entered from the node, as there is no label: it has few owners and grants, a principal may have 100,000.
    byPrincipals: (alias) =>
      principals.length === 0
        ? []
        : [
            `EXISTS { MATCH (${alias}_p)-[${alias}_s:${GRANTING}]->(${alias}) ` +
              `WHERE ${alias}_p.id IN ${params.among(principals)} AND ${grantsRight(`${alias}_s`, right)} }`,
          ],
  };
}

/** That such a relationship gives `right`. CASE, because what OR joins Neo4j multiplies out before it plans. */
export function grantsRight(alias: string, right: string): string {
  const rights = `${alias}.${quoted(propertyName(ALLOWED))}`;
  // A single text is no list of rights.
  return `CASE WHEN ${alias}:${OWNING} THEN true ELSE ${right} IN ${rights} AND toStringOrNull(${rights}) IS NULL END`;
}
