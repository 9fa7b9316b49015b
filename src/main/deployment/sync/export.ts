/** The graph becomes one ZIP: contents of files, and all nodes and relationships as records (docs/interface/deployment.md 5.1). */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { JobControl, ZipEntry } from '../../files/index.js';
import type { GraphEntity, GraphNode, ReadTransaction } from '../../graph/index.js';
import { META_TYPES, META_RELATIONSHIPS, typesOf, type Schema, type Type } from '../../schema/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { workerFile } from '../../../shared/worker-path.js';
import type { DeploymentContext } from '../common/context.js';
import { DeploymentError } from '../common/errors.js';
import type { Report } from '../common/report.js';
import { ExportTarget } from '../tree/target.js';
import { Code, RecordWriter, type NumberCode, type NumberCodes } from './record.js';

export interface SyncExport {
  readonly file: string;
  /** Contents of files come with it. */
  readonly withFiles: boolean;
  /** Cypher that answers what is exported; undefined: everything. */
  readonly query: string | undefined;
}

export interface SyncExportCounts {
  nodes: number;
  relationships: number;
  files: number;
}

const PIECE = 192 * 1024;
/** Rows, and nodes and relationships in them, of a query. */
const MOST_ROWS = 1_000_000;
const MOST_TEXT = 256 * 1024 * 1024;
/** Ids of files for which their contents are read behind each other. */
const BATCH = 500;

/** Writes the archive; what was there before is replaced by the whole of it. Throws `DeploymentError`. */
export async function exportSync(
  context: DeploymentContext,
  { file, withFiles, query }: SyncExport,
  report: Report,
  job: JobControl,
): Promise<SyncExportCounts> {
  const work = new Export(context, report, job);
  const out = new ExportTarget(dirname(file));
  await out.folder('');
  // An archive says how large an entry is before its bytes.
  const records = join(dirname(file), `.${randomUUID()}.part`);
  try {
    await work.writeRecords(records, query);
    const { size } = await stat(records);
    const entries = work.entries(withFiles && query === undefined, {
      name: 'db',
      modified: Date.now(),
      size,
      packed: false,
      read: () => createReadStream(records, { highWaterMark: PIECE }),
    });
    await out.bytes(basename(file), buffers(context.files.archiveOf(entries)));
  } finally {
    await rm(records, { force: true });
  }
  return work.counts;
}

async function* buffers(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  for await (const piece of pieces) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}

type Kind = 'nodes' | 'relationships';

interface Piece {
  /** Records; undefined: they are still being gathered. */
  readonly bytes: Uint8Array | undefined;
  readonly objects: number;
}

class Export {
  readonly counts: SyncExportCounts = { nodes: 0, relationships: 0, files: 0 };
  readonly #writer = new RecordWriter();
  readonly #schema: Schema;
  /** Ids of what is left out, and so are owners and grants of it. */
  readonly #schemaObjects = new Set<string>();
  readonly #slice = new TimeSlice();

  constructor(
    private readonly context: DeploymentContext,
    private readonly report: Report,
    private readonly job: JobControl,
  ) {
    this.#schema = context.schemas.schema;
  }

  async writeRecords(path: string, query: string | undefined): Promise<void> {
    const { graph } = this.context;
    const handle = await open(path, 'wx');
    const write = async (bytes: Uint8Array | undefined, objects: number): Promise<void> => {
      if (bytes !== undefined) await handle.appendFile(bytes);
      this.job.chunk({ objects });
      await this.job.checkpoint();
      if (this.#slice.due) await this.#slice.pause();
    };
    try {
      await graph.read(
        async (tx) => {
          for (const kind of ['nodes', 'relationships'] as const) {
            this.report.begin(kind);
            const pieces = query === undefined ? this.#all(tx, kind) : this.#of(tx, kind, query);
            for await (const { bytes, objects } of pieces) await write(bytes, objects);
          }
        },
        { timeout: 0, signal: this.job.signal },
      );
      await handle.appendFile(this.#writer.taken());
    } finally {
      await handle.close();
    }
  }

  async *#of(tx: ReadTransaction, kind: Kind, query: string): AsyncGenerator<Piece, void, undefined> {
    const found = await this.#queried(tx, query);
    yield this.#piece(found.filter((one) => (one.kind === 'node') === (kind === 'nodes')));
  }

  async *#all(tx: ReadTransaction, kind: Kind): AsyncGenerator<Piece, void, undefined> {
    if (kind === 'relationships' && tx.made !== undefined) await this.#findSchemaObjects(tx);
    const about = { codes: this.#codes(), types: META_TYPES, relTypes: META_RELATIONSHIPS, nodes: this.#schemaObjects };
    const made = tx.made?.({ kind }, { module: workerFile('deployment/sync-records'), about });
    if (made === undefined) {
      for await (const batch of tx.stream({ kind })) yield this.#piece(batch);
      return;
    }
    for await (const { bytes, entities } of made) {
      this.counts[kind] += entities;
      yield { bytes, objects: entities };
    }
  }

  async #findSchemaObjects(tx: ReadTransaction): Promise<void> {
    const query = { kind: 'nodes', types: [...META_TYPES] } as const;
    for await (const batch of tx.stream(query)) for (const { id } of batch) this.#schemaObjects.add(id);
  }

  /** What was written into memory, once it is worth a piece. */
  #piece(batch: readonly GraphEntity[]): Piece {
    for (const entity of batch) this.#record(entity);
    return { bytes: this.#writer.length >= PIECE ? this.#writer.taken() : undefined, objects: batch.length };
  }

  #codes(): ReadonlyMap<string, NumberCodes> {
    const all = [...this.#schema.types.values()].map((type) => [type.name, codesOf(type)] as const);
    return new Map(all.filter(([, codes]) => codes.size > 0));
  }

  async #queried(tx: ReadTransaction, text: string): Promise<GraphEntity[]> {
    if (tx.cypher === undefined)
      throw new DeploymentError(
        'This database does not speak Cypher, which a query of sync is written in: leave it out, or use deployData for chosen types.',
        'request',
      );
    const { rows } = await tx.cypher({ text, parameters: {}, mostRows: MOST_ROWS, mostText: MOST_TEXT });
    const found = new Map<string, GraphEntity>();
    const take = (value: unknown): void => {
      if (Array.isArray(value)) for (const one of value as readonly unknown[]) take(one);
      else if (value instanceof Map) for (const one of value.values()) take(one);
      else if (isEntity(value)) found.set(`${value.kind} ${value.id}`, value);
    };
    for (const row of rows) take(row);
    return [...found.values()];
  }

  /** Schema objects stay: an archive is for an instance of the same schema. */
  #record(entity: GraphEntity): void {
    if (this.#isOfSchema(entity)) return;
    this.#writer.entity(entity, codesOf(this.#schema.typeOf(entity)));
    this.counts[entity.kind === 'node' ? 'nodes' : 'relationships']++;
  }

  #isOfSchema(entity: GraphEntity): boolean {
    if (entity.kind === 'node') {
      if (!META_TYPES.has(entity.type)) return false;
      this.#schemaObjects.add(entity.id);
      return true;
    }
    const { relType, sourceId, targetId } = entity;
    return META_RELATIONSHIPS.has(relType) || this.#schemaObjects.has(sourceId) || this.#schemaObjects.has(targetId);
  }

  /** Contents first, each by the id of its file. */
  async *entries(withFiles: boolean, db: ZipEntry): AsyncGenerator<ZipEntry, void, undefined> {
    if (withFiles) {
      this.report.begin('files');
      yield { name: 'files/', modified: Date.now(), size: 0, packed: true };
      for await (const batch of this.#files()) {
        for (const node of batch) {
          const [a, b, c, d] = node.id;
          if (d === undefined) continue;
          this.counts.files++;
          yield this.context.files.storedEntry(node, ['files', a, b, c, d, node.id].join('/'), this.job.signal);
        }
        this.job.chunk({ objects: batch.length });
        await this.job.checkpoint();
      }
    }
    this.report.begin('db');
    yield db;
  }

  /** By id, a page after the other: no transaction is open while contents are read. */
  async *#files(): AsyncGenerator<GraphNode[], void, undefined> {
    let from: string | undefined;
    for (;;) {
      const after = from === undefined ? {} : { where: { op: 'range', key: 'id', from, fromExclusive: true } as const };
      const query = { kind: 'nodes', trait: 'File', ...typesOf(this.#schema, 'File'), ...after } as const;
      const page = await this.context.graph.read((tx) => tx.find({ ...query, sort: [{ key: 'id' }], limit: BATCH }));
      yield page.filter(({ properties }) => properties['isExternal'] !== true);
      if (page.length < BATCH) return;
      from = page.at(-1)?.id;
    }
  }
}

function isEntity(value: unknown): value is GraphEntity {
  if (value === null || typeof value !== 'object' || !('kind' in value)) return false;
  return value.kind === 'node' || value.kind === 'relationship';
}

const known = new WeakMap<Type, NumberCodes>();
const CODES: Readonly<Record<string, NumberCode>> = {
  Integer: Code.Int,
  IntegerArray: Code.Int,
  Double: Code.Double,
  DoubleArray: Code.Double,
};

/** How the numbers of a type are written, by stored key. */
function codesOf(type: Type): NumberCodes {
  let codes = known.get(type);
  if (codes === undefined) {
    const found = new Map<string, NumberCode>();
    for (const property of type.properties.values()) {
      const code = property.kind === 'value' ? CODES[property.definition.propertyType] : undefined;
      if (property.kind === 'value' && code !== undefined) found.set(property.key, code);
    }
    known.set(type, (codes = found));
  }
  return codes;
}
