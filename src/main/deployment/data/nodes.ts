/** Objects of a data export in a transaction: new ones are made, those whose id is there are replaced (docs/interface/deployment.md 4.4). */
import { OWNS, SECURITY, type GraphNode, type StoredValue, type WriteTransaction } from '../../graph/index.js';
import type { ObjectTransaction, Type } from '../../schema/index.js';
import { type PrincipalNames, rightsOf, textAt, type SaidRights } from '../tree/principal-names.js';
import { DeploymentError } from '../common/errors.js';
import type { ListEntry } from './json-list.js';
import { shapesOf, storedValues } from './stored-values.js';

/** Members of an entry that are not stored values of the object. */
const APART: ReadonlySet<string> = new Set(['id', 'type', 'owner', 'grantees']);
const LONGEST_ID = 255;
/** Relationships of an object that are removed at once. */
const SOME = 1000;

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
  const { tx, schema } = objects;
  // Of two with one id the last one counts, as it would in two transactions.
  const wanted = new Map(entries.map((entry) => [entry.id, entry]));
  const ids = [...wanted.keys()];
  const there = new Map((await tx.nodes(ids)).map((node, i) => [ids[i] ?? '', node]));
  let [created, replaced] = [0, 0];
  for (const entry of wanted.values()) {
    await objects.breathe();
    const type = schema.type(entry.type);
    if (type?.kind !== 'node' || type.traitOnly) {
      work.missingType(entry.type);
      continue;
    }
    const values = storedValues(entry.said.entry, APART, shapesOf(type), (key) => {
      work.wrongValue(type.name, key);
    });
    let old = there.get(entry.id);
    if (old !== undefined && work.cascade) {
      old = await tx.node(entry.id);
      if (old !== undefined) await objects.delete(old);
      replaced++;
      await make(tx, entry, type, values);
    } else if (old !== undefined) {
      await replace(tx, old, type, values);
      replaced++;
    } else {
      await make(tx, entry, type, values);
      created++;
    }
    await give(objects, entry, work.principals);
  }
  return { created, replaced };
}

async function make(
  tx: WriteTransaction,
  { id }: NodeEntry,
  type: Type,
  properties: Record<string, StoredValue>,
): Promise<void> {
  await tx.createNode({ id, type: type.name, traits: type.traits, properties });
}

/** What it had is gone, but not what it owns and was granted: of that, exports tell with the objects it is about. */
async function replace(
  tx: WriteTransaction,
  old: GraphNode,
  type: Type,
  values: Record<string, StoredValue>,
): Promise<void> {
  const { id } = old;
  if (old.type !== type.name) await tx.setNodeType(id, type.name, type.traits);
  const gone = Object.keys(old.properties).filter((key) => !(key in values));
  await tx.updateNode(id, { ...values, ...Object.fromEntries(gone.map((key) => [key, null])) });
  const kept = { op: 'not', term: { op: 'in', key: 'relType', values: [OWNS, SECURITY] } } as const;
  for (const query of [{ sourceId: id, where: kept }, { targetId: id }]) {
    for (;;) {
      const some = await tx.find({ kind: 'relationships', ...query, limit: SOME });
      for (const one of some) await tx.deleteRelationship(one.id);
      if (some.length < SOME) break;
    }
  }
}

/** Owner and grantees by their names; nobody else is asked, and nothing else is told of it. */
async function give(objects: ObjectTransaction, { id, rights }: NodeEntry, principals: PrincipalNames): Promise<void> {
  const { tx, now } = objects;
  const link = async (type: string, relType: string, name: string, properties: Record<string, StoredValue>) => {
    const principal = await principals.find(objects, name);
    if (principal === undefined) return;
    const ends = { sourceId: principal.id, targetId: id };
    await tx.createRelationship({ id: objects.newId(), type, relType, ...ends, properties });
  };
  if (typeof rights.owner === 'string') await link('PrincipalOwnsNode', OWNS, rights.owner, { createdDate: now });
  const known = new Set<string>();
  for (const { name, allowed } of rights.grantees ?? []) {
    if (known.has(name)) continue;
    known.add(name);
    await link('Security', SECURITY, name, { createdDate: now, allowed: [...allowed] });
  }
}
