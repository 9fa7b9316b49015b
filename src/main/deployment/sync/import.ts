/** A sync archive is added to the graph; nothing that is there changes (docs/interface/deployment.md 5.3). */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { OpenArchive, type ArchivedEntry, type DeployedFiles, type JobControl } from '../../files/index.js';
import type { GraphNode, Origin, StoredValue } from '../../graph/index.js';
import {
  ALLOW_ALL,
  META_TYPES,
  SchemaError,
  SYSTEM,
  typesOf,
  validateNode,
  type Actor,
  type ErrorToken,
  type ObjectTransaction,
  type RelationDefinition,
  type Schema,
  type Type,
} from '../../schema/index.js';
import type { DeploymentContext } from '../common/context.js';
import { typesOfNodes } from '../common/ends.js';
import { DeploymentError } from '../common/errors.js';
import type { Report } from '../common/report.js';
import { WriteBehind } from '../common/write-behind.js';
import { ifMissing } from '../tree/source.js';
import { recordsOf, type SyncRecord } from './record-reader.js';

export interface SyncImport {
  readonly file: string;
  /** Nodes are checked as other new objects are, before they are written. */
  readonly validate: boolean;
  readonly batchSize: number;
  readonly actor: Actor;
}

export interface SyncImportCounts {
  nodes: number;
  relationships: number;
  files: number;
  /** What was there already, and was left as it is. */
  existing: number;
  /** Relationships whose ends are not there, nodes and relationships whose type is not. */
  failed: number;
}

const PIECE = 256 * 1024;
const ID = /^[\w-]{1,255}$/;
/** What a file says of a content that it does not have yet. */
const OF_CONTENT = ['contentKey', 'size', 'checksum', 'crc32', 'md5', 'sha1', 'sha512'];

/** Throws `DeploymentError`, `FilesError` and `SchemaError`; what was written until then stays, and is left as it is by another import. */
export async function importSync(
  context: DeploymentContext,
  options: SyncImport,
  report: Report,
  job: JobControl,
): Promise<SyncImportCounts> {
  const handle = await open(options.file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    ifMissing,
  );
  if (handle === undefined) throw new DeploymentError(`There is no file ${options.file}.`, 'request');
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw new DeploymentError(`${options.file} is no file.`, 'request');
    const bytes = { size: facts.size, read: ({ from, to }: Range) => piecesOf(handle, from, to) };
    const work = new Import(context, options, report, job);
    await OpenArchive.of(bytes, job.signal, async (archive) => {
      let isThere = false;
      for await (const entry of archive.entries()) {
        if (isThere || entry.isFolder || entry.path.join('/') !== 'db') continue;
        isThere = true;
        await work.records(entry);
      }
      if (!isThere) throw new DeploymentError('The archive has no entry "db": it is none of sync.');
    });
    // Contents stand before the records, and become those of files that these bring.
    await OpenArchive.of(bytes, job.signal, (archive) => work.contents(archive.entries()));
    work.tell();
    return work.counts;
  } finally {
    await handle.close();
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

async function* piecesOf(handle: FileHandle, from: number, to: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = from; at < to;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(PIECE), 0, Math.min(PIECE, to - at), at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

class Import {
  readonly counts: SyncImportCounts = { nodes: 0, relationships: 0, files: 0, existing: 0, failed: 0 };
  /** Users of the archive whose name one has here, by id: that one takes their place. */
  readonly #namesakes = new Map<string, string>();
  readonly #missingTypes = new Set<string>();
  readonly #failed = new Map<string, number>();
  readonly #reason: string;

  constructor(
    private readonly context: DeploymentContext,
    private readonly options: SyncImport,
    private readonly report: Report,
    private readonly job: JobControl,
  ) {
    this.#reason = `sync, job ${String(job.id)}`;
  }

  async records(entry: ArchivedEntry): Promise<void> {
    let batch: SyncRecord[] = [];
    let links = false;
    const behind = new WriteBehind();
    const write = (): Promise<void> => {
      const next = batch;
      batch = [];
      return behind.next(() => this.#batch(next));
    };
    this.report.begin('nodes');
    try {
      for await (const records of recordsOf(entry.read())) {
        for (const record of records) {
          const isLink = record.link !== undefined;
          if (batch.length >= this.options.batchSize || isLink !== links) await write();
          if (isLink && !links) this.report.begin('relationships');
          links = isLink;
          batch.push(record);
        }
      }
      await write();
    } finally {
      await behind.end();
    }
  }

  async contents(entries: AsyncIterable<ArchivedEntry>): Promise<void> {
    const { files, graph, schemas } = this.context;
    this.report.begin('files');
    const deploying = files.deploying();
    try {
      for await (const { path, isFolder, read } of entries) {
        const id = path.at(-1) ?? '';
        if (isFolder || path[0] !== 'files' || !ID.test(id)) continue;
        await this.job.checkpoint();
        const node = await graph.read((tx) => tx.node(id));
        if (node === undefined || !wantsContent(schemas.schema, node)) {
          this.counts.existing++;
          continue;
        }
        const name = String(node.properties['name'] ?? '');
        const content = await deploying.store(id, node, name, read());
        await this.#transaction((objects) => this.#publish(objects, deploying, id, content), false);
        this.counts.files++;
        this.job.chunk({ objects: 1, created: 1 });
      }
    } finally {
      await deploying.end();
    }
  }

  tell(): void {
    this.report.warnOfAll('Missing Type(s)', this.#missingTypes);
    const failed = [...this.#failed].map(([type, count]) => `${type} (${String(count)})`);
    this.report.warnOfAll('Failed Relationship(s) for Type(s)', failed);
  }

  async #publish(
    objects: ObjectTransaction,
    deploying: DeployedFiles,
    id: string,
    content: Awaited<ReturnType<DeployedFiles['store']>>,
  ): Promise<void> {
    const node = await objects.tx.node(id);
    if (node !== undefined && wantsContent(objects.schema, node)) await deploying.restore(objects, node, content);
  }

  async #batch(batch: readonly SyncRecord[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    await this.job.checkpoint();
    const { counts } = this;
    const before = { ...counts };
    const failedBefore = new Map(this.#failed);
    await this.#transaction(async (objects) => {
      // It may begin anew.
      Object.assign(counts, before);
      this.#failed.clear();
      for (const [type, count] of failedBefore) this.#failed.set(type, count);
      await (first.link === undefined ? this.#nodes(objects, batch) : this.#links(objects, batch));
    }, true);
    const created = counts.nodes + counts.relationships - before.nodes - before.relationships;
    this.job.chunk({ objects: batch.length, created, ignored: batch.length - created });
  }

  async #nodes(objects: ObjectTransaction, batch: readonly SyncRecord[]): Promise<void> {
    const { tx, schema } = objects;
    const wanted = new Map(batch.map((record) => [idOf(record), record]));
    this.counts.existing += batch.length - wanted.size;
    const there = await tx.nodes([...wanted.keys()]);
    const made: { readonly type: Type; readonly node: GraphNode }[] = [];
    for (const [i, [id, { values, place }]] of [...wanted].entries()) {
      await objects.breathe();
      const { id: _id, type: name, ...rest } = values;
      const type = typeof name === 'string' && !META_TYPES.has(name) ? schema.type(name) : undefined;
      if (there[i] !== undefined) this.counts.existing++;
      else if (type?.kind !== 'node' || type.traitOnly) this.#missing(typeof name === 'string' ? name : place);
      else if (await this.#isNamesake(objects, type, id, rest['name'])) this.counts.existing++;
      else {
        const properties = withoutContent(type, rest);
        made.push({ type, node: await tx.createNode({ id, type: type.name, traits: type.traits, properties }) });
        this.counts.nodes++;
      }
    }
    const tokens: ErrorToken[] = [];
    if (this.options.validate)
      for (const { type, node } of made)
        tokens.push(...(await validateNode(objects, node, withoutRelations(type), false)));
    if (tokens.length > 0)
      throw new SchemaError(`${batch[0]?.place ?? ''} and those behind it: the objects are not valid`, tokens);
  }

  async #links(objects: ObjectTransaction, batch: readonly SyncRecord[]): Promise<void> {
    const { tx, schema } = objects;
    const wanted = new Map(batch.map((record) => [idOf(record), record]));
    this.counts.existing += batch.length - wanted.size;
    const ids = [...wanted.keys()];
    const found = await tx.find({ kind: 'relationships', where: { op: 'in', key: 'id', values: ids } });
    const there = new Set(found.map(({ id }) => id));
    const here = (end: string): string => this.#namesakes.get(end) ?? end;
    const ends = batch.flatMap(({ link: [sourceId = '', targetId = ''] = [] }) => [here(sourceId), here(targetId)]);
    const types = await typesOfNodes(tx, ends);
    for (const [id, { link: [source0 = '', target0 = '', relType = ''] = [], values }] of wanted) {
      await objects.breathe();
      const [sourceId, targetId] = [here(source0), here(target0)];
      if (there.has(id)) {
        this.counts.existing++;
        continue;
      }
      const { id: _id, type: name, ...properties } = values;
      const [source, target] = [types.get(sourceId), types.get(targetId)];
      const relation = relationOf(schema, relType, name, source, target);
      if (relation === undefined) {
        const said = typeof name === 'string' ? name : relType;
        this.#failed.set(said, (this.#failed.get(said) ?? 0) + 1);
        this.counts.failed++;
        continue;
      }
      await tx.createRelationship({ id, type: relation.name, relType, sourceId, targetId, properties });
      this.counts.relationships++;
    }
  }

  async #isNamesake(
    { tx, schema }: ObjectTransaction,
    type: Type,
    id: string,
    name: StoredValue | undefined,
  ): Promise<boolean> {
    if (!type.hasTrait('User') || typeof name !== 'string') return false;
    const where = { op: 'equals', key: 'name', value: name } as const;
    const [one] = await tx.find({ kind: 'nodes', trait: 'User', ...typesOf(schema, 'User'), where, limit: 1 });
    if (one === undefined) return false;
    this.#namesakes.set(id, one.id);
    return true;
  }

  #missing(type: string): void {
    this.#missingTypes.add(type);
    this.counts.failed++;
  }

  async #transaction(work: (objects: ObjectTransaction) => Promise<void>, isLarge: boolean): Promise<void> {
    const { schemas, write } = this.context;
    const { actor } = this.options;
    const origin: Origin = { door: 'deployment', userId: actor.id, userName: actor.name, reason: this.#reason };
    const options = { ...write(), door: 'deployment', reason: this.#reason } as const;
    if (isLarge) await schemas.writeMany(SYSTEM, ALLOW_ALL, options, work, origin);
    else
      await schemas.writeStages(SYSTEM, ALLOW_ALL, options, [work], origin, {
        isOver: () => this.job.signal.aborted,
      });
  }
}

function idOf({ values, place }: SyncRecord): string {
  const { id } = values;
  if (typeof id === 'string' && ID.test(id)) return id;
  throw new DeploymentError(`${place}: it has no id.`);
}

/** A file of this instance that has no content. */
function wantsContent(schema: Schema, node: GraphNode): boolean {
  const { contentKey, size, isExternal } = node.properties;
  return schema.typeOf(node).hasTrait('File') && contentKey === undefined && size === undefined && isExternal !== true;
}

/** Contents come with the archive, or not at all: a file is empty until its own is there. */
function withoutContent(type: Type, values: Record<string, StoredValue>): Record<string, StoredValue> {
  if (!type.hasTrait('File') || values['isExternal'] === true) return values;
  return Object.fromEntries(Object.entries(values).filter(([key]) => !OF_CONTENT.includes(key)));
}

const unrelated = new WeakMap<Type, Type>();

/** Relationships come behind all nodes. */
function withoutRelations(type: Type): Type {
  let without = unrelated.get(type);
  if (without === undefined) unrelated.set(type, (without = Object.create(type, { required: { value: [] } }) as Type));
  return without;
}

/** The relation between these types: that of the name, where it fits, else the first one that does. */
function relationOf(
  schema: Schema,
  relType: string,
  name: StoredValue | undefined,
  source: string | undefined,
  target: string | undefined,
): RelationDefinition | undefined {
  if (source === undefined || target === undefined) return undefined;
  const fits = (one: RelationDefinition | undefined): boolean =>
    one?.relType === relType && isOf(schema, source, one.source) && isOf(schema, target, one.target);
  const named = typeof name === 'string' ? schema.relations.get(name) : undefined;
  return fits(named) ? named : [...schema.relations.values()].find(fits);
}

function isOf(schema: Schema, type: string, trait: string): boolean {
  return typesOf(schema, trait).types?.includes(type) !== false;
}
