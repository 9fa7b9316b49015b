import type { GraphNode } from '../../../graph/index.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import { addTo, oncePerTransaction } from '../helpers/once.js';
import { unknownStaticType } from '../helpers/owner.js';
import type { TraitRule } from '../rule.js';
import { textOf } from '../helpers/text-of.js';

const KEYS = ['principal', 'schemaNode', 'staticSchemaNodeName'];
const FLAGS = ['allowRead', 'allowWrite', 'allowDelete', 'allowAccessControl'];

/** Whom a grant is for and on what: the values of `KEYS`. */
type Target = readonly (string | null)[];

async function targetsOf(objects: ObjectTransaction, grants: readonly GraphNode[]): Promise<Target[]> {
  const ids = grants.map((g) => g.id);
  const principals = await objects.tx.related(ids, { relType: 'SCHEMA_GRANT', direction: 'in' }, 1);
  const nodes = await objects.tx.related(ids, { relType: 'SCHEMA_GRANT', direction: 'out', types: ['SchemaNode'] }, 1);
  return grants.map((grant, i) => [
    principals[i]?.[0]?.id ?? null,
    nodes[i]?.[0]?.id ?? null,
    textOf(grant, 'staticSchemaNodeName') ?? null,
  ]);
}

/** Ids of all grants by target. */
const grantsByTarget = oncePerTransaction(async (objects) => {
  const byTarget = new Map<string, string[]>();
  const all = await objects.tx.find({ kind: 'nodes', trait: 'SchemaGrant', types: ['SchemaGrant'] });
  const targets = await targetsOf(objects, all);
  for (const [i, grant] of all.entries()) addTo(byTarget, JSON.stringify(targets[i]), grant.id);
  return byTarget;
});

/** One grant for one principal on one type; a grant that grants nothing to anybody goes away (docs/interface/schema.md 2.7). */
export const schemaGrantRule: TraitRule = {
  trait: 'SchemaGrant',
  async complete(node, objects) {
    const [target = []] = await targetsOf(objects, [node]);
    const [principal, schemaNode, named] = target;
    const dangling = principal === null || (schemaNode === null && named === null);
    // Clients create a grant first and set its flags afterwards.
    const idle =
      FLAGS.every((flag) => node.properties[flag] !== true) && !objects.created.some((n) => n.id === node.id);
    if (dangling || idle) await objects.delete(node);
  },
  async validate(node, objects) {
    const tokens = await unknownStaticType(node, objects);
    const [target = []] = await targetsOf(objects, [node]);
    const same = (await grantsByTarget(objects)).get(JSON.stringify(target)) ?? [];
    const other = same.find((id) => id !== node.id);
    if (other !== undefined) {
      tokens.push({
        type: node.type,
        token: 'already_taken',
        keys: KEYS,
        value: target,
        detail: node.id,
        existingNodeUuid: other,
      });
    }
    return tokens;
  },
};
