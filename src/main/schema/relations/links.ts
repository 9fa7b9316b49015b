/**
 * Relationships as they are written for somebody: the only place that makes, changes and removes those that a request, script or
 * import asks for, so that all of them keep the same rule (`rights/guards.ts`).
 */
import type { GraphNode, GraphRelationship, PropertyChanges, Right, StoredValue } from '../../graph/index.js';
import type { RelationDefinition } from '../model/definitions.js';
import { SchemaError } from '../model/errors.js';
import { handedOut, needsOf, type Handed, type Need } from '../rights/guards.js';
import { isOfAdministrators } from '../rights/memberships.js';
import { markOfLink } from '../rules/pages/sandbox.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/** The ends of a relationship, and its type in the database. */
export interface Ends {
  readonly relType: string;
  readonly source: GraphNode;
  readonly target: GraphNode;
}

/** A relationship that is there. */
export interface Link extends Ends {
  readonly id: string;
  /** The name of its relation. */
  readonly type: string;
}

type Act = 'make' | 'change' | 'remove' | 'displace';

/** Makes a relationship without asking: `mayLink` has been. Returns its id. */
export async function makeLink(
  objects: ObjectTransaction,
  relation: RelationDefinition,
  source: GraphNode,
  target: GraphNode,
  values: PropertyChanges,
  id?: string,
): Promise<string> {
  const properties: Record<string, StoredValue> = Object.create(null) as Record<string, StoredValue>;
  const type = objects.schema.type(relation.name);
  for (const p of type?.defaults ?? []) if (p.defaultValue !== undefined) properties[p.key] = p.defaultValue;
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (value !== null && value !== undefined) properties[key] = value;
  }
  Object.assign(properties, markOfLink({ type: relation.name, relType: relation.relType }, objects));
  objects.stamp(properties, true);
  const relationship = await objects.tx.createRelationship({
    id: id ?? objects.newId(),
    type: relation.name,
    relType: relation.relType,
    sourceId: source.id,
    targetId: target.id,
    properties,
  });
  objects.touch(source.id);
  objects.touch(target.id);
  if (type !== undefined && (type.constrained.length > 0 || type.compoundKeys.length > 0))
    objects.touchRelationship(relationship.id);
  return relationship.id;
}

/** Throws `SchemaError` (forbidden) when the actor may not make these relationships. */
export function mayLink(objects: ObjectTransaction, links: readonly Ends[]): Promise<void> {
  return guard(objects, 'make', links);
}

/** The same for writing their own values. */
export function mayChangeLinks(objects: ObjectTransaction, links: readonly Link[]): Promise<void> {
  return guard(objects, 'change', links);
}

/** The same for removing them. `displace`: one goes to make room for another at its `1` side. */
export function mayRemoveLinks(
  objects: ObjectTransaction,
  links: readonly Link[],
  act: 'remove' | 'displace' = 'remove',
): Promise<void> {
  return guard(objects, act, links);
}

/** Writes a relationship's own values without asking. */
export async function changeLink(objects: ObjectTransaction, link: Link, values: PropertyChanges): Promise<void> {
  await objects.tx.updateRelationship(link.id, { ...values, ...markOfLink(link, objects) });
  objects.touchRelationship(link.id);
}

/** Removes relationships without asking; both ends are checked at the end. */
export async function removeLinks(objects: ObjectTransaction, links: readonly Link[]): Promise<void> {
  for (const { id, source, target } of links) {
    await objects.breathe();
    await objects.tx.deleteRelationship(id);
    objects.touch(source.id);
    objects.touch(target.id);
  }
}

/** The ends of a relationship that is there; undefined: one of them is gone. */
export async function linkOf(objects: ObjectTransaction, relationship: GraphRelationship): Promise<Link | undefined> {
  const { id, type, relType, sourceId, targetId } = relationship;
  const [source, target] = await objects.tx.nodes([sourceId, targetId]);
  return source === undefined || target === undefined ? undefined : { id, type, relType, source, target };
}

async function guard(objects: ObjectTransaction, act: Act, links: readonly Ends[]): Promise<void> {
  if (links.length === 0 || objects.actor.isAdmin) return;
  // All of one right together: an engine over a network is asked once for it.
  const rights = new Rights(objects);
  const { schema, options } = objects;
  const asked = links.map((link) => {
    const [source, target] = [schema.typeOf(link.source), schema.typeOf(link.target)];
    const needs = needsOf(link.relType, source, target, options.usersDecide === true);
    const need = act === 'make' ? needs.make : needs.keep;
    const handed = handedOut(schema, link.relType, link.source, link.target);
    if (reads(act, need)) rights.ask('read', link.source, link.target);
    if (need === 'control') rights.ask('accessControl', link.target);
    else if (need === 'source') rights.ask('write', link.source);
    else if (need === 'target') rights.ask('write', link.target);
    else if (need !== 'administrator') rights.ask('write', link.source, link.target);
    for (const { end, rights: given } of handed) for (const right of given) rights.ask(right, link[end]);
    return { link, need, handed };
  });
  await rights.decide();
  for (const { link, need, handed } of asked) {
    const refused = refusedEnd(rights, act, link, need, handed);
    if (refused !== undefined) throw await notPermitted(objects, link, refused);
  }
  if (act === 'make') await mayMakeAdministrators(objects, links);
}

/** Groups of administrators get members from those who reach everything themselves. */
async function mayMakeAdministrators(objects: ObjectTransaction, links: readonly Ends[]): Promise<void> {
  const { schema, actor } = objects;
  if (actor.reachesAll) return;
  const groups = new Set<GraphNode>();
  for (const { relType, source, target } of links) {
    if (
      relType === 'CONTAINS' &&
      schema.typeOf(source).hasTrait('Group') &&
      schema.typeOf(target).hasTrait('Principal')
    )
      groups.add(source);
  }
  for (const group of groups) if (await isOfAdministrators(objects, group)) throw objects.notPermitted(group);
}

/** Whether both ends have to be readable: whoever loses a place need not be, nor whose rights are taken away. */
function reads(act: Act, need: Need): boolean {
  return act === 'make' || (act !== 'displace' && need !== 'control');
}

/** The end for whose sake it is refused; undefined: it is not. */
function refusedEnd(
  rights: Rights,
  act: Act,
  { source, target }: Ends,
  need: Need,
  handed: readonly Handed[],
): GraphNode | undefined {
  if (need === 'administrator') return target;
  if (reads(act, need)) {
    if (!rights.has('read', source)) return source;
    if (!rights.has('read', target)) return target;
  }
  if (need === 'control') return rights.has('accessControl', target) ? undefined : target;
  const ends = { source, target };
  const [atSource, atTarget] = [
    need !== 'target' && rights.has('write', source),
    need !== 'source' && rights.has('write', target),
  ];
  if (need === 'both' ? !(atSource && atTarget) : !(atSource || atTarget)) {
    return need === 'target' || (need === 'both' && atSource) ? target : source;
  }
  const lacking = handed.find(({ end, rights: given }) => !given.every((right) => rights.has(right, ends[end])));
  if (lacking === undefined) return undefined;
  // Who may hand out the rights on one end may take them back, whatever is handed out on the other.
  const takesBack = act === 'remove' || act === 'displace';
  if (takesBack && handed.some((one) => one.rights.every((right) => rights.has(right, ends[one.end]))))
    return undefined;
  return ends[lacking.end];
}

/** Names an end that the actor may read; where there is none, neither. */
async function notPermitted(
  objects: ObjectTransaction,
  { source, target }: Ends,
  refused: GraphNode,
): Promise<SchemaError> {
  for (const end of [refused, refused === source ? target : source])
    if (await objects.may('read', end)) return objects.notPermitted(end);
  return new SchemaError('Modification of this relationship is not permitted.', [], 'forbidden');
}

/** Which of some nodes the actor has which rights on, asked together. */
class Rights {
  private readonly asked = new Map<Right, Map<string, GraphNode>>();
  private readonly given = new Map<Right, Set<string>>();

  constructor(private readonly objects: ObjectTransaction) {}

  ask(right: Right, ...nodes: readonly GraphNode[]): void {
    let map = this.asked.get(right);
    if (map === undefined) this.asked.set(right, (map = new Map<string, GraphNode>()));
    for (const node of nodes) map.set(node.id, node);
  }

  async decide(): Promise<void> {
    for (const [right, nodes] of this.asked) {
      const list = [...nodes.values()];
      const allowed = await this.objects.mayAll(right, list);
      this.given.set(right, new Set(list.filter((_, i) => allowed[i] === true).map((node) => node.id)));
    }
  }

  has(right: Right, node: GraphNode): boolean {
    return this.given.get(right)?.has(node.id) === true;
  }
}
