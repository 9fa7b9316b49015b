/** Event action mapping as plain data: what happens when somebody does something with an element (docs/interface/pages.md 7). */
import type { GraphNode, ReadTransaction, Step } from '../../graph/index.js';
import type { Schema } from '../../schema/index.js';
import { isMarked } from './stored-values.js';

export interface ActionParameter {
  readonly node: GraphNode;
  /** Where visitors type its value. */
  readonly input: GraphNode | undefined;
}

/** What nodes are to a mapping, and the relationship from them to it. */
export const TARGETS = {
  success: 'SUCCESS_TARGET',
  failure: 'FAILURE_TARGET',
  successNotification: 'SUCCESS_NOTIFICATION_ELEMENT',
  failureNotification: 'FAILURE_NOTIFICATION_ELEMENT',
} as const;
export type TargetRole = keyof typeof TARGETS;

/** Names of these relations in the schema. */
export const TARGET_RELATIONS: readonly string[] = Object.values(TARGETS).map(
  (relType) => `DOMNode${relType}ActionMapping`,
);

export interface ActionMapping {
  readonly node: GraphNode;
  readonly parameters: readonly ActionParameter[];
  /** Nodes that are shown anew or that say what happened. */
  readonly targets: Readonly<Record<TargetRole, readonly GraphNode[]>>;
}

/** What an element has to do with mappings. */
export interface NodeActions {
  /** The one that it sets off. */
  readonly mapping: ActionMapping | undefined;
  readonly isInput: boolean;
  /** Something of it is shown anew, or says what happened. */
  readonly isTarget: boolean;
}

/** Mappings of one element, parameters of one mapping, and targets of one: further ones are not looked at. */
const MOST = 1000;

const TRIGGERED: Step = { relType: 'TRIGGERED_BY', direction: 'out' };
const PARAMETERS: Step = { relType: 'PARAMETER', direction: 'out' };
const INPUT: Step = { relType: 'INPUT_ELEMENT', direction: 'in' };
const IS_INPUT: Step = { relType: 'INPUT_ELEMENT', direction: 'out' };
const RELOADED: Step = { relType: 'RELOADS', direction: 'in' };
/** In the order of `TARGETS`. */
const RELATIONS = Object.values(TARGETS);

/**
 * Nodes one step away from each, in the order they were linked. What users without administrators' rights have linked would be done with the rights of
 * whoever looks at the page: it counts for nothing.
 */
async function linkedTo(tx: ReadTransaction, ids: readonly string[], step: Step, limit = MOST): Promise<GraphNode[][]> {
  const links = await tx.links(ids, step, limit);
  return links.map((of) => of.filter(({ relationship }) => !isMarked(relationship)).map(({ node }) => node));
}

/** The mapping that counts of those of an element: the first that was linked. Those that others than administrators have written count for nothing, either. */
function countingMapping(linked: readonly GraphNode[], schema: Schema): GraphNode | undefined {
  return linked.find((one) => !isMarked(one) && schema.typeOf(one).hasTrait('ActionMapping'));
}

/** The mapping of one element, without what it is linked to; none for an element that others than administrators have written. */
export async function mappingOf(
  tx: ReadTransaction,
  schema: Schema,
  element: GraphNode,
): Promise<GraphNode | undefined> {
  if (isMarked(element)) return undefined;
  const [linked = []] = await linkedTo(tx, [element.id], TRIGGERED);
  return countingMapping(linked, schema);
}

/** Names of the parameters of a mapping. */
export async function parameterNames(tx: ReadTransaction, mapping: string): Promise<ReadonlySet<string>> {
  const [found = []] = await linkedTo(tx, [mapping], PARAMETERS);
  return new Set(
    found.flatMap(({ properties: { parameterName } }) => (typeof parameterName === 'string' ? [parameterName] : [])),
  );
}

/**
 * What elements have to do with mappings, by their ids; elements that have nothing to do with any are left out. A few questions to the graph
 * whatever their number. `seen` is told of each node that was looked at beside the elements.
 */
export async function readActions(
  tx: ReadTransaction,
  schema: Schema,
  elements: readonly string[],
  seen: (id: string) => void,
): Promise<ReadonlyMap<string, NodeActions>> {
  const actions = new Map<string, NodeActions>();
  if (elements.length === 0) return actions;
  const types = schema.type('ActionMapping')?.concreteTypes ?? [];
  const reloaded = await tx.related(elements, RELOADED, 1);
  // Most pages have no mapping, and many databases none at all.
  const [any] = await tx.find({ kind: 'nodes', trait: 'ActionMapping', types, limit: 1 });
  const isTarget = new Set(elements.filter((_, i) => (reloaded[i] ?? []).length > 0));
  if (any === undefined) {
    for (const id of isTarget) actions.set(id, { mapping: undefined, isInput: false, isTarget: true });
    return actions;
  }
  const [linked, inputs, ...targets] = await Promise.all([
    linkedTo(tx, elements, TRIGGERED),
    tx.related(elements, IS_INPUT, 1),
    ...RELATIONS.map((relType) => tx.related(elements, { relType, direction: 'out' }, 1)),
  ]);
  for (const one of linked.flat()) seen(one.id);
  const mappings = await readMappings(
    tx,
    [
      ...new Map(
        linked.map((of) => countingMapping(of, schema)).flatMap((m) => (m === undefined ? [] : [[m.id, m]])),
      ).values(),
    ],
    seen,
  );
  elements.forEach((id, i) => {
    const counting = countingMapping(linked[i] ?? [], schema);
    const of: NodeActions = {
      mapping: counting === undefined ? undefined : mappings.get(counting.id),
      isInput: (inputs[i] ?? []).length > 0,
      isTarget: isTarget.has(id) || targets.some((list) => (list[i] ?? []).length > 0),
    };
    if (of.mapping !== undefined || of.isInput || of.isTarget) actions.set(id, of);
  });
  return actions;
}

async function readMappings(
  tx: ReadTransaction,
  nodes: readonly GraphNode[],
  seen: (id: string) => void,
): Promise<ReadonlyMap<string, ActionMapping>> {
  const ids = nodes.map(({ id }) => id);
  const [parameters, ...targets] = await Promise.all([
    linkedTo(tx, ids, PARAMETERS),
    ...RELATIONS.map((relType) => linkedTo(tx, ids, { relType, direction: 'in' })),
  ]);
  const all = parameters.flat();
  const inputs = await linkedTo(
    tx,
    all.map(({ id }) => id),
    INPUT,
    1,
  );
  const inputOf = new Map(all.map(({ id }, i) => [id, inputs[i]?.[0]]));
  for (const one of [...all, ...inputs.flat(), ...targets.flat(2)]) seen(one.id);
  return new Map(
    nodes.map((node, i) => [
      node.id,
      {
        node,
        parameters: (parameters[i] ?? [])
          .filter((one) => !isMarked(one))
          .map((one) => ({ node: one, input: inputOf.get(one.id) })),
        targets: {
          success: targets[0]?.[i] ?? [],
          failure: targets[1]?.[i] ?? [],
          successNotification: targets[2]?.[i] ?? [],
          failureNotification: targets[3]?.[i] ?? [],
        },
      },
    ]),
  );
}
