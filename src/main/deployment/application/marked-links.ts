/** Links that users who are no administrators have made: they stay marked on their way out and in, or an import would trust them (docs/interface/pages.md 3.5). */
import type { GraphNode, ReadTransaction } from '../../graph/index.js';
import type { ObjectTransaction } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { DeploymentError } from '../common/errors.js';
import { objectAt } from '../tree/source.js';

/** A kind of link: its type in the database, and the way from the object that an entry is of. */
export type LinkKind = readonly [relType: string, direction: 'in' | 'out'];

const KEY = 'sandboxedLinks';

/** For each node what its entry says of marked links: `{"sandboxedLinks": {<type>: [<id>, ...]}}`, or nothing. */
export async function markedLinks(
  tx: ReadTransaction,
  nodes: readonly GraphNode[],
  kinds: readonly LinkKind[],
): Promise<readonly JsonObject[]> {
  const ids = nodes.map(({ id }) => id);
  const found: Record<string, string[]>[] = nodes.map(() => ({}));
  for (const [relType, direction] of kinds) {
    const links = await tx.links(ids, { relType, direction });
    for (const [i, all] of links.entries()) {
      const marked = all.filter(({ relationship }) => relationship.properties['sandboxed'] === true);
      if (marked.length > 0) Object.assign(found[i] ?? {}, { [relType]: marked.map(({ node }) => node.id).sort() });
    }
  }
  return found.map((one): JsonObject => (Object.keys(one).length === 0 ? {} : { [KEY]: one }));
}

/** Takes what an entry says of marked links out of it. Throws `DeploymentError`. */
export function markedIn(
  values: JsonObject,
  place: string,
): { readonly marked: Map<string, Set<string>>; readonly rest: JsonObject } {
  const { [KEY]: said, ...rest } = values;
  const marked = new Map<string, Set<string>>();
  if (said === undefined || said === null) return { marked, rest };
  for (const [relType, ids] of Object.entries(objectAt(said, `${place}.${KEY}`)))
    marked.set(relType, idsIn(ids, `${place}.${KEY}.${relType}`));
  return { marked, rest };
}

function idsIn(value: JsonValue | undefined, place: string): Set<string> {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return new Set(value);
  throw new DeploymentError(`${place}: a list of ids is expected here.`);
}

/** Marks the links of an object that was made of an entry. */
export async function markLinks(
  { tx }: ObjectTransaction,
  node: GraphNode,
  kinds: readonly LinkKind[],
  values: JsonObject,
  place: string,
): Promise<void> {
  const { marked } = markedIn(values, place);
  for (const [relType, direction] of kinds) {
    const ids = marked.get(relType);
    if (ids === undefined) continue;
    const [links = []] = await tx.links([node.id], { relType, direction });
    for (const { relationship, node: other } of links)
      if (ids.has(other.id)) await tx.updateRelationship(relationship.id, { sandboxed: true });
  }
}
