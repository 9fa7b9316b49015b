/** Copies of nodes, with what is below them and what their events do (docs/interface/pages.md 1.4). */
import type { GraphNode, Step } from '../../graph/index.js';
import {
  inParts,
  OF_OTHERS,
  onlyReadable,
  readable,
  relatedInOrder,
  type ObjectTransaction,
} from '../../schema/index.js';
import { TARGET_RELATIONS } from '../model/action-mapping.js';
import { isMarked } from '../model/stored-values.js';
import { MOST_NODES } from '../model/read-tree.js';
import { copyNode, copyValues } from './copies.js';
import { CHILDREN, link, placedByOthers, refused, step } from './relations.js';

const TRIGGERED_BY = 'DOMElementTRIGGERED_BYActionMapping';
const PARAMETER = 'ActionMappingPARAMETERParameterMapping';
const INPUT = 'DOMElementINPUT_ELEMENTParameterMapping';
const RELOADS = 'DOMElementRELOADSDOMElement';

/** Of what: the copy, and the node it is of. */
type Copies = Map<string, { readonly from: GraphNode; readonly to: GraphNode }>;

/**
 * A copy that is in no page yet. `deep`: with all that the actor may read below it, and with mappings of events: what these refer to in
 * what was copied is the copy. Throws `SchemaError`.
 */
export async function cloneNode(
  objects: ObjectTransaction,
  node: GraphNode,
  { deep = false, name }: { readonly deep?: boolean; readonly name?: string } = {},
): Promise<GraphNode> {
  const copy = await copyNode(objects, node, { refers: true, ...(name === undefined ? {} : { name }) });
  if (!deep) return copy;
  const copies: Copies = new Map([[node.id, { from: node, to: copy }]]);
  for (let level = [node]; level.length > 0;) level = await cloneChildren(objects, level, copies);
  await cloneReloads(objects, copies);
  await cloneMappings(objects, copies);
  return copy;
}

async function cloneChildren(
  objects: ObjectTransaction,
  level: readonly GraphNode[],
  copies: Copies,
): Promise<GraphNode[]> {
  const next: GraphNode[] = [];
  for (const part of inParts(level)) {
    const found = await childrenOf(objects, part);
    const placed = await placedByOthers(objects, part);
    for (const [i, parent] of part.entries()) {
      const into = copies.get(parent.id)?.to;
      for (const [position, child] of (found[i] ?? []).entries()) {
        if (into === undefined || copies.has(child.id)) continue;
        if (copies.size >= MOST_NODES)
          throw refused(child, 'must_be_shorter_than', `At most ${String(MOST_NODES)} nodes can be copied at once.`);
        const copy = await copyNode(objects, child, { refers: true });
        copies.set(child.id, { from: child, to: copy });
        await link(objects, CHILDREN, into, copy, { position, ...(placed.has(child.id) ? OF_OTHERS : {}) });
        next.push(child);
      }
    }
  }
  return next;
}

/** Readable children of nodes, in their order. */
export async function childrenOf(objects: ObjectTransaction, nodes: readonly GraphNode[]): Promise<GraphNode[][]> {
  const property = objects.schema.type('DOMNode')?.properties.get('children');
  if (property?.kind !== 'relation') return nodes.map(() => []);
  const ids = nodes.map(({ id }) => id);
  return relatedInOrder(objects.tx, ids, property, onlyReadable(property.step, objects.access));
}

async function cloneReloads(objects: ObjectTransaction, copies: Copies): Promise<void> {
  for (const { from, others } of await linked(objects, copies, step(objects, RELOADS, 'out'))) {
    const source = copies.get(from.id)?.to;
    for (const other of others)
      if (source !== undefined) await link(objects, RELOADS, source, copies.get(other.id)?.to ?? other);
  }
}

async function cloneMappings(objects: ObjectTransaction, copies: Copies): Promise<void> {
  const mappings: Copies = new Map();
  for (const { from, others } of await linked(objects, copies, step(objects, TRIGGERED_BY, 'out'))) {
    const trigger = copies.get(from.id)?.to;
    for (const mapping of others) {
      let copy = mappings.get(mapping.id)?.to;
      if (copy === undefined)
        mappings.set(mapping.id, { from: mapping, to: (copy = await copyValues(objects, mapping)) });
      if (trigger !== undefined) await link(objects, TRIGGERED_BY, trigger, copy);
    }
  }
  for (const relation of TARGET_RELATIONS) {
    for (const { from, others } of await linked(objects, mappings, step(objects, relation, 'in'))) {
      const mapping = mappings.get(from.id)?.to;
      for (const other of others)
        if (mapping !== undefined) await link(objects, relation, copies.get(other.id)?.to ?? other, mapping);
    }
  }
  const parameters: Copies = new Map();
  for (const { from, others } of await linked(objects, mappings, step(objects, PARAMETER, 'out'))) {
    const mapping = mappings.get(from.id)?.to;
    for (const parameter of others) {
      if (mapping === undefined) continue;
      const to = await copyValues(objects, parameter);
      parameters.set(parameter.id, { from: parameter, to });
      await link(objects, PARAMETER, mapping, to);
    }
  }
  for (const { from, others } of await linked(objects, parameters, step(objects, INPUT, 'in'))) {
    const parameter = parameters.get(from.id)?.to;
    for (const other of others)
      if (parameter !== undefined) await link(objects, INPUT, copies.get(other.id)?.to ?? other, parameter);
  }
}

interface Linked {
  readonly from: GraphNode;
  readonly others: readonly GraphNode[];
}

/** What a step leads to from originals, as far as the actor may read it; those without anything are left out. */
async function linked(objects: ObjectTransaction, copies: Copies, along: Step): Promise<Linked[]> {
  const all: Linked[] = [];
  for (const part of inParts([...copies.values()].map(({ from }) => from))) {
    await objects.breathe();
    const found = await objects.tx.links(
      part.map(({ id }) => id),
      along,
    );
    for (const [i, from] of part.entries()) {
      // Links that others than administrators have made count for nothing: a copy of one, made by an administrator, would count.
      const trusted = (found[i] ?? []).filter(({ relationship }) => !isMarked(relationship));
      const others = trusted.map(({ node }) => node);
      if (others.length === 0) continue;
      all.push({ from, others: await readable(objects.tx, objects.access, others) });
    }
  }
  return all;
}
