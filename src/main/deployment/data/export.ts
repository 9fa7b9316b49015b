/** Objects of chosen types, and their relationships, become files (docs/interface/deployment.md 4). Memory holds a batch at a time. */
import {
  OWNS,
  SECURITY,
  type GraphNode,
  type GraphRelationship,
  type ReadTransaction,
  type RelationshipQuery,
} from '../../graph/index.js';
import { holdersOf, type RelationDefinition, type Schema } from '../../schema/index.js';
import type { JobControl } from '../../files/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { workerFile } from '../../../shared/worker-path.js';
import { FILES } from '../application/files/entry.js';
import type { DeploymentContext } from '../common/context.js';
import type { Report } from '../common/report.js';
import { giveToGroup } from '../tree/file-group.js';
import { writeEmptyScripts } from '../tree/scripts.js';
import { ExportTarget, fileNamed } from '../tree/target.js';
import { entryText, rightsMembers } from './entry-text.js';
import { exportFiles, PARENTS } from './files-export.js';
import { selectionOf, type Selection } from './selection.js';

/** Entries, each with a comma and the end of a line before it. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly entities: number;
}

/** What makes them where the engine can read in a thread; about 15 times as fast as on the loop. */
const MAKING = { module: workerFile('deployment/data-entries'), about: { owns: OWNS, security: SECURITY } };

/** Writes what `types` names into a directory. Throws `DeploymentError`. */
export async function exportData(
  context: DeploymentContext,
  directory: string,
  types: string,
  report: Report,
  job: JobControl,
): Promise<void> {
  const { config, graph, schemas } = context;
  const { schema } = schemas;
  const selection = selectionOf(schema, types, report);
  const out = new ExportTarget(directory);
  for (const folder of ['nodes', 'relationships', 'files']) await out.keepOnly(folder, []);
  for (const file of [FILES, PARENTS]) await out.remove(file);
  const size = config.get('deployment.data.export.nodes.batchsize');
  const work = new DataExport(context, schema, selection, size, out, report, job);
  await graph.read((tx) => work.run(tx), { timeout: 0, signal: job.signal });
  await writeEmptyScripts(out, 'pre-data-deploy.conf', 'post-data-deploy.conf');
  await giveToGroup(config, directory, report);
}

class DataExport {
  readonly #slice = new TimeSlice();
  /** Types that relationships lead to, and that are not exported. */
  readonly #missing = new Set<string>();

  constructor(
    private readonly context: DeploymentContext,
    private readonly schema: Schema,
    private readonly selection: Selection,
    private readonly size: number,
    private readonly out: ExportTarget,
    private readonly report: Report,
    private readonly job: JobControl,
  ) {}

  async run(tx: ReadTransaction): Promise<void> {
    const { context, selection, out, report, schema, job, size } = this;
    const files = [...selection.concrete].filter((name) => this.#isFile(name));
    if (files.length > 0) await exportFiles({ context, tx, schema, out, report, job, size }, files);
    for (const type of selection.types) {
      const types = type.concreteTypes.filter((name) => !this.#isFile(name));
      if (types.length === 0) continue;
      report.begin(type.name);
      const name = fileNamed(type.name, 'A type');
      await out.bytes(`nodes/${name}.json`, this.#list(this.#nodes(tx, type.name, types)));
    }
    for (const relation of [...schema.relations.values()].sort((a, b) => (a.name < b.name ? -1 : 1)))
      await this.#relation(tx, relation);
    report.warnOfAll('Possibly missing type(s) in export', [...this.#missing].sort());
  }

  #isFile(name: string): boolean {
    return this.schema.type(name)?.hasTrait('AbstractFile') === true;
  }

  /** A list of entries in pieces. */
  async *#list(pieces: AsyncIterable<Piece>): AsyncGenerator<Buffer, void, undefined> {
    let isFirst = true;
    for await (const { bytes, entities } of pieces) {
      // In place of the first comma.
      if (isFirst) bytes[0] = 0x5b;
      isFirst = false;
      yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.job.chunk({ objects: entities });
      await this.job.checkpoint();
      if (this.#slice.due) await this.#slice.pause();
    }
    yield Buffer.from(isFirst ? '[]' : '\n]');
  }

  async *#nodes(tx: ReadTransaction, trait: string, types: readonly string[]): AsyncGenerator<Piece, void, undefined> {
    const query = { kind: 'nodes', trait, types } as const;
    const made = tx.made?.(query, { ...MAKING, incoming: [OWNS, SECURITY] });
    if (made !== undefined) {
      yield* made;
      return;
    }
    for await (const batch of tx.stream(query)) {
      for (let at = 0; at < batch.length; at += this.size)
        yield pieceOf(await nodeTexts(tx, batch.slice(at, at + this.size)));
    }
  }

  /** Each relationship that begins or ends at an exported object. */
  async #relation(tx: ReadTransaction, relation: RelationDefinition): Promise<void> {
    const { name, relType } = relation;
    if (relType === OWNS || relType === SECURITY) return;
    // Files say it by their paths; thumbnails are made of their images.
    if (this.#isFile(relation.source) && this.#isFile(relation.target) && /^(?:CONTAINS|THUMBNAIL)$/.test(relType))
      return;
    const [sources, targets] = [this.#ends(relation.source), this.#ends(relation.target)];
    if (sources.exported.length + targets.exported.length === 0) return;
    const types = [name];
    if ((await tx.count({ kind: 'relationships', types }, 1)).count === 0) return;
    const whole = sources.others.length === 0 || targets.others.length === 0;
    const some: RelationshipQuery[] = [
      { kind: 'relationships', types, sourceTypes: sources.exported },
      { kind: 'relationships', types, sourceTypes: sources.others, targetTypes: targets.exported },
    ];
    const queries: RelationshipQuery[] = whole
      ? [{ kind: 'relationships', types }]
      : some.filter(({ sourceTypes, targetTypes }) => sourceTypes?.length !== 0 && targetTypes?.length !== 0);
    const batches = this.#links(tx, queries);
    const first = await batches.next();
    if (first.done === true) return;
    this.report.begin(name);
    const file = `relationships/${fileNamed(name, 'A relationship')}.json`;
    await this.out.bytes(file, this.#list(withFirst(first.value, batches)));
    if (sources.others.length > 0) this.#missing.add(relation.source);
    if (targets.others.length > 0) this.#missing.add(relation.target);
  }

  async *#links(tx: ReadTransaction, queries: readonly RelationshipQuery[]): AsyncGenerator<Piece, void, undefined> {
    for (const query of queries) {
      const made = tx.made?.(query, MAKING);
      if (made !== undefined) yield* made;
      else for await (const batch of tx.stream(query)) yield pieceOf(batch.map(relationshipText));
    }
  }

  #ends(trait: string): { readonly exported: readonly string[]; readonly others: readonly string[] } {
    const all = this.schema.type(trait)?.concreteTypes ?? [];
    const { concrete } = this.selection;
    return { exported: all.filter((one) => concrete.has(one)), others: all.filter((one) => !concrete.has(one)) };
  }
}

async function nodeTexts(tx: ReadTransaction, nodes: readonly GraphNode[]): Promise<string[]> {
  const holders = await holdersOf(
    tx,
    nodes.map(({ id }) => id),
  );
  return nodes.map(({ id, type, properties }, i) => {
    return entryText(properties, { id, type, ...rightsMembers(holders[i] ?? { owner: undefined, grantees: [] }) });
  });
}

function pieceOf(entries: readonly string[]): Piece {
  return { bytes: Buffer.from(entries.map((entry) => `,\n${entry}`).join('')), entities: entries.length };
}

function relationshipText({ id, sourceId, targetId, relType, properties }: GraphRelationship): string {
  return entryText(properties, { id, sourceId, targetId, relType });
}

async function* withFirst<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  yield first;
  yield* rest;
}
