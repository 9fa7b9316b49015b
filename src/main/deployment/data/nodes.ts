/** Objects of a data export in a transaction: new ones are made, those whose id is there are replaced (docs/interface/deployment.md 4.4). */
import {
  OWNS,
  SECURITY,
  type GraphNode,
  type GraphRelationship,
  type StoredValue,
  type WriteTransaction,
} from '../../graph/index.js';
import type { ObjectTransaction, Type } from '../../schema/index.js';
import { type PrincipalNames, rightsOf, textAt, type SaidRights } from '../tree/principal-names.js';
import { DeploymentError } from '../common/errors.js';
import type { ListEntry } from './json-list.js';
import { shapesOf, storedValues } from './stored-values.js';

/** Members of an entry that are not stored values of the object. */
const APART: ReadonlySet<string> = new Set(['id', 'type', 'owner', 'grantees']);
const LONGEST_ID = 255;
/** Objects whose relationships are read in one statement. */
const TOGETHER = 50;
/** Of relationships that lead from an object. */
const OF_OBJECTS = { op: 'not', term: { op: 'in', key: 'relType', values: [OWNS, SECURITY] } } as const;

export interface NodeEntry {
  readonly id: string;
  readonly type: string;
  readonly rights: SaidRights;
  readonly said: ListEntry;
}

/** Checks an entry of a file of objects. Throws `DeploymentError`. */
export function nodeEntry(said: ListEntry): NodeEntry {
  const { entry, place } = said;
  const id = idAt(entry['id'], `${place}.id`);
  const type = textAt(entry['type'], `${place}.type`);
  return { id, type, rights: rightsOf(entry, `${place} (${id})`), said };
}

/** An id of an export. Throws `DeploymentError`. */
export function idAt(value: unknown, place: string): string {
  if (typeof value === 'string' && value.length <= LONGEST_ID && /^[\w-]+$/.test(value)) return value;
  throw new DeploymentError(`${place}: an id is expected here.`);
}

/** What a transaction of objects is told, and tells. */
export interface NodeWork {
  readonly principals: PrincipalNames;
  /** Removes what goes with an object that is replaced, as its deletion would. */
  readonly cascade: boolean;
  readonly missingType: (name: string) => void;
  readonly wrongValue: (type: string, key: string) => void;
}

/** Writes objects. Answers how many there are new, and how many replaced others. */
export async function writeNodes(
  objects: ObjectTransaction,
  entries: readonly NodeEntry[],
  work: NodeWork,
): Promise<{ readonly created: number; readonly replaced: number }> {
  const { schema } = objects;
  const wanted = new Map<string, Wanted>();
  // Of two with one id the last one counts, as it would in two transactions.
  for (const entry of new Map(entries.map((one) => [one.id, one])).values()) {
    const type = schema.type(entry.type);
    if (type?.kind === 'node' && !type.traitOnly) wanted.set(entry.id, { entry, type });
    else work.missingType(entry.type);
  }
  const ids = [...wanted.keys()];
  // Owners may be among them.
  const arePrincipals = [...wanted.values()].some(({ type }) => type.hasTrait('Principal'));
  // All is read before anything is written: what is written beside other work (`TransactionOptions.large`) cannot be read so cheaply.
  const there = new Map((await objects.tx.nodes(ids)).map((node, i) => [ids[i] ?? '', node]));
  const old = work.cascade ? [] : ids.filter((id) => there.get(id) !== undefined);
  const links = await linksOf(objects, old);
  if (!arePrincipals) for (const name of namesIn(wanted.values())) await work.principals.find(objects, name);
  let [created, replaced] = [0, 0];
  for (const one of wanted.values()) {
    const node = there.get(one.entry.id);
    await objects.breathe();
    await write(objects, one, node, work);
    if (node === undefined) created++;
    else replaced++;
  }
  const gone = new Set<string>();
  for (const { entry } of wanted.values()) {
    await objects.breathe();
    await relate(objects, entry, await wishesOf(objects, entry, work.principals), links.get(entry.id) ?? [], gone);
  }
  return { created, replaced };
}

interface Wanted {
  readonly entry: NodeEntry;
  readonly type: Type;
}

function namesIn(wanted: Iterable<Wanted>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { entry } of wanted) {
    const { owner, grantees } = entry.rights;
    if (typeof owner === 'string') names.add(owner);
    for (const { name } of grantees ?? []) names.add(name);
  }
  return names;
}

async function write(
  objects: ObjectTransaction,
  { entry: { id, said }, type }: Wanted,
  old: GraphNode | undefined,
  { cascade, wrongValue }: NodeWork,
): Promise<void> {
  const { tx } = objects;
  const values = storedValues(said.entry, APART, shapesOf(type), (key) => {
    wrongValue(type.name, key);
  });
  if (old !== undefined && !cascade) {
    await replace(tx, old, type, values);
    return;
  }
  // Another one may have taken it with it.
  const now = old === undefined ? undefined : await tx.node(id);
  if (now !== undefined) await objects.delete(now);
  await tx.createNode({ id, type: type.name, traits: type.traits, properties: values });
}

/** What it had is gone; of its relationships, others decide. */
async function replace(
  tx: WriteTransaction,
  old: GraphNode,
  type: Type,
  values: Record<string, StoredValue>,
): Promise<void> {
  const { id } = old;
  if (old.type !== type.name) await tx.setNodeType(id, type.name, type.traits);
  const changes: Record<string, StoredValue | null> = values;
  for (const key in old.properties) if (!(key in values)) changes[key] = null;
  await tx.updateNode(id, changes);
}

/**
 * The relationships of objects that are replaced, by their ids: all that lead to them, and what leads from them but owners and grants, of which
 * exports tell with the objects that these are about.
 */
async function linksOf(
  { tx }: ObjectTransaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly GraphRelationship[]>> {
  const links = new Map<string, GraphRelationship[]>();
  const take = (id: string, one: GraphRelationship): void => {
    const list = links.get(id);
    if (list === undefined) links.set(id, [one]);
    else list.push(one);
  };
  for (let at = 0; at < ids.length; at += TOGETHER) {
    const values = ids.slice(at, at + TOGETHER);
    const from = { op: 'and', terms: [{ op: 'in', key: 'sourceId', values }, OF_OBJECTS] } as const;
    for (const one of await tx.find({ kind: 'relationships', where: from })) take(one.sourceId, one);
    const to = { op: 'in', key: 'targetId', values } as const;
    for (const one of await tx.find({ kind: 'relationships', where: to })) take(one.targetId, one);
  }
  return links;
}

/** An owner, or a grant, that an entry names. */
interface Wish {
  readonly type: string;
  readonly relType: string;
  readonly sourceId: string;
  readonly properties: Record<string, StoredValue>;
}

/** Owner and grantees by their names; those that nobody has, or several, are left out. */
async function wishesOf(
  objects: ObjectTransaction,
  { rights }: NodeEntry,
  principals: PrincipalNames,
): Promise<Wish[]> {
  const { now: createdDate } = objects;
  const wishes: Wish[] = [];
  const wish = async (type: string, relType: string, name: string, properties: Wish['properties']): Promise<void> => {
    const principal = await principals.find(objects, name);
    if (principal !== undefined) wishes.push({ type, relType, sourceId: principal.id, properties });
  };
  if (typeof rights.owner === 'string') await wish('PrincipalOwnsNode', OWNS, rights.owner, { createdDate });
  const known = new Set<string>();
  for (const { name, allowed } of rights.grantees ?? []) {
    if (known.has(name)) continue;
    known.add(name);
    await wish('Security', SECURITY, name, { createdDate, allowed: [...allowed] });
  }
  return wishes;
}

/** Of the relationships that an object had, those that are wished for stay. Nobody else is asked, and nothing else is told of it. */
async function relate(
  objects: ObjectTransaction,
  { id: targetId }: NodeEntry,
  wishes: readonly Wish[],
  links: readonly GraphRelationship[],
  gone: Set<string>,
): Promise<void> {
  const { tx } = objects;
  const open = [...wishes];
  for (const link of links) {
    const at = link.targetId === targetId ? open.findIndex((wish) => isSame(wish, link)) : -1;
    if (at >= 0) open.splice(at, 1);
    // Both its ends may be replaced.
    else if (!gone.has(link.id)) {
      gone.add(link.id);
      await tx.deleteRelationship(link.id);
    }
  }
  for (const wish of open) await tx.createRelationship({ ...wish, id: objects.newId(), targetId });
}

function isSame({ type, relType, sourceId, properties }: Wish, link: GraphRelationship): boolean {
  const [wished, is] = [properties['allowed'], link.properties['allowed']];
  return (
    link.type === type &&
    link.relType === relType &&
    link.sourceId === sourceId &&
    (relType === OWNS || JSON.stringify(wished) === JSON.stringify(is))
  );
}
