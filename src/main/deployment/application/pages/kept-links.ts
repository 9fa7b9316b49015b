/**
 * Links between nodes of pages that are replaced and what stays: mappings of events, routes, sites, and objects of the application. The nodes come back with
 * the same ids, and these links with them, as far as the import says nothing else.
 */
import type { GraphNode, GraphRelationship } from '../../../graph/index.js';
import { inParts, makeLink, type ObjectTransaction, type RelationDefinition } from '../../../schema/index.js';

/** Of each node its own, or made anew from what an import says. */
const OWN: ReadonlySet<string> = new Set(['OWNS', 'SECURITY', 'PAGE', 'CONTAINS_NEXT_SIBLING']);

export class KeptLinks {
  #links: GraphRelationship[] = [];

  /** Notes what links nodes that go with others. */
  async note(objects: ObjectTransaction, gone: ReadonlyMap<string, GraphNode>, isAll: boolean): Promise<void> {
    const steps = stepsOf(objects, isAll);
    for (const part of inParts(gone.keys())) {
      for (const step of steps) {
        for (const { node, relationship } of (await objects.tx.links(part, step)).flat())
          if (!gone.has(node.id)) this.#links.push(relationship);
      }
    }
  }

  /** Forgets those whose other ends are replaced as well; the nodes of pages are gone. */
  async look(objects: ObjectTransaction): Promise<void> {
    const kept: GraphRelationship[] = [];
    for (const part of inParts(this.#links)) {
      const [sources, targets] = await Promise.all([
        objects.tx.nodes(part.map(({ sourceId }) => sourceId)),
        objects.tx.nodes(part.map(({ targetId }) => targetId)),
      ]);
      kept.push(...part.filter((_, i) => sources[i] !== undefined || targets[i] !== undefined));
    }
    this.#links = kept;
  }

  /** Makes them again between what is there. */
  async relink(objects: ObjectTransaction): Promise<void> {
    for (const { type, relType, sourceId, targetId, properties } of this.#links) {
      const relation = objects.schema.relations.get(type);
      const [source, target] = await objects.tx.nodes([sourceId, targetId]);
      if (relation === undefined || source === undefined || target === undefined) continue;
      // What the import has linked counts.
      if (relation.sourceMultiplicity === '1' && (await isTaken(objects, targetId, relType, 'in'))) continue;
      if (relation.targetMultiplicity === '1' && (await isTaken(objects, sourceId, relType, 'out'))) continue;
      await makeLink(objects, relation, source, target, properties);
    }
  }
}

async function isTaken(
  { tx }: ObjectTransaction,
  id: string,
  relType: string,
  direction: 'in' | 'out',
): Promise<boolean> {
  return (await tx.related([id], { relType, direction }, 1))[0]?.[0] !== undefined;
}

interface LinkStep {
  readonly relType: string;
  readonly direction: 'in' | 'out';
}

/** Along all relations that nodes of pages may have with others. */
function stepsOf({ schema }: ObjectTransaction, isAll: boolean): LinkStep[] {
  const isNode = (end: string): boolean => schema.type(end)?.hasTrait('DOMNode') === true;
  const steps = new Map<string, LinkStep>();
  const add = (relType: string, direction: LinkStep['direction']): void => {
    steps.set(`${direction} ${relType}`, { relType, direction });
  };
  const related = ({ source, target }: RelationDefinition): readonly [boolean, boolean] => {
    const isWide = (end: string): boolean => end === 'NodeInterface' || end === 'LinkSource' || end === 'Linkable';
    return [isNode(source) || isWide(source), isNode(target) || isWide(target)];
  };
  for (const relation of schema.relations.values()) {
    const { relType, source, target, internal } = relation;
    if (OWN.has(relType) || internal === true) continue;
    // All nodes of pages go.
    if (isAll && isNode(source) && isNode(target)) continue;
    const [out, into] = related(relation);
    if (out) add(relType, 'out');
    if (into) add(relType, 'in');
  }
  return [...steps.values()];
}
