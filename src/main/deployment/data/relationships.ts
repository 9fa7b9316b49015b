/** Relationships of a data export in a transaction; each once, by its id (docs/interface/deployment.md 4.4). */
import type { GraphRelationship, StoredValue } from '../../graph/index.js';
import { typesOf, type ObjectTransaction, type RelationDefinition } from '../../schema/index.js';
import { typesOfNodes } from '../common/ends.js';
import type { ListEntry } from './json-list.js';
import { idAt } from './nodes.js';
import { shapesOf, storedValues } from './stored-values.js';

const APART: ReadonlySet<string> = new Set(['id', 'type', 'relType', 'sourceId', 'targetId']);

export interface LinkEntry {
  readonly id: string;
  readonly sourceId: string;
  readonly targetId: string;
  readonly said: ListEntry;
}

/** Checks an entry of a file of relationships. Throws `DeploymentError`. */
export function linkEntry(said: ListEntry): LinkEntry {
  const { entry, place } = said;
  const [id, sourceId, targetId] = ['id', 'sourceId', 'targetId'].map((key) => idAt(entry[key], `${place}.${key}`));
  return { id: id ?? '', sourceId: sourceId ?? '', targetId: targetId ?? '', said };
}

/** Writes relationships of one relation. Answers how many are there now, and how many cannot be, as an end is not. */
export async function writeLinks(
  objects: ObjectTransaction,
  relation: RelationDefinition,
  entries: readonly LinkEntry[],
  wrongValue: (type: string, key: string) => void,
): Promise<{ readonly made: number; readonly failed: number }> {
  const { tx, schema } = objects;
  const wanted = new Map(entries.map((entry) => [entry.id, entry]));
  const ids = [...wanted.keys()];
  const ends = entries.flatMap(({ sourceId, targetId }) => [sourceId, targetId]);
  const types = await typesOfNodes(tx, ends);
  const found = await tx.find({ kind: 'relationships', where: { op: 'in', key: 'id', values: ids } });
  const there = new Map(found.map((one) => [one.id, one]));
  const [source, target] = [typesOf(schema, relation.source), typesOf(schema, relation.target)];
  const type = schema.type(relation.name);
  const shapes = type === undefined ? new Map<never, never>() : shapesOf(type);
  let [made, failed] = [0, 0];
  for (const entry of wanted.values()) {
    await objects.breathe();
    if (!fits(types.get(entry.sourceId), source.types) || !fits(types.get(entry.targetId), target.types)) {
      failed++;
      continue;
    }
    const values = storedValues(entry.said.entry, APART, shapes, (key) => {
      wrongValue(relation.name, key);
    });
    await write(objects, relation, entry, there.get(entry.id), values);
    made++;
  }
  return { made, failed };
}

function fits(type: string | undefined, types: readonly string[] | undefined): boolean {
  return type !== undefined && types?.includes(type) !== false;
}

async function write(
  { tx }: ObjectTransaction,
  { name, relType }: RelationDefinition,
  { id, sourceId, targetId }: LinkEntry,
  old: GraphRelationship | undefined,
  properties: Record<string, StoredValue>,
): Promise<void> {
  if (old?.type === name && old.sourceId === sourceId && old.targetId === targetId) {
    const gone = Object.keys(old.properties).filter((key) => !(key in properties));
    await tx.updateRelationship(id, { ...properties, ...Object.fromEntries(gone.map((key) => [key, null])) });
    return;
  }
  if (old !== undefined) await tx.deleteRelationship(id);
  await tx.createRelationship({ id, type: name, relType, sourceId, targetId, properties });
}
