/** Filling a whole Neo4j database in transactions that each carry the mark of how far the copy is. */
import type { Belongings, BulkItem, BulkWriter, TraitsByType } from '../../bulk.js';
import { GraphError } from '../../errors.js';
import type { Graph } from '../../graph.js';
import { Neo4jBulkReader } from './bulk-reader.js';
import { encodeProperties, type RawProperties } from '../connection/codec.js';
import { ignored } from '../connection/database.js';
import { FAR } from '../connection/limits.js';
import { COPY_MARK, MARK } from './copy-mark.js';
import { graphError, isTransient } from '../connection/errors.js';
import { KEY_INDEXES } from '../indexes/indexes.js';
import { DELETE_NOTES, SET_NOTES } from '../instances/notes.js';
import { allLabels, CATALOG, labelOf, META, OWN, quoted, SEQUENCE } from '../connection/names.js';
import type { Neo4jOptions } from '../connection/options.js';
import { Pending } from '../writing/pending.js';
import type { Statement } from '../connection/statement.js';
import { TEXT_INDEXES } from '../indexes/text-indexes.js';

/** Entities removed in one transaction. */
const REMOVED = 10_000;
/** Times a transaction is sent again after an error that may pass. */
const ATTEMPTS = 5;
/** Milliseconds to wait for locks that others have on indexes: no server should run meanwhile. */
const INDEX_PATIENCE = 60_000;

export class Neo4jBulkWriter extends Neo4jBulkReader implements BulkWriter {
  readonly #open: () => Promise<Graph>;
  /** The mark as it is in the database: another copy into it would change it. */
  #mark: string | undefined;
  readonly #catalogued = new Set<string>();

  /** `open` opens the graph although it is not finished, and makes what a database must have for that. */
  constructor(options: Neo4jOptions, open: () => Promise<Graph>) {
    super(options);
    this.#open = open;
  }

  async mark(): Promise<string | undefined> {
    const [row] = await this.run(`${MARK} RETURN c.mark`);
    this.#mark = row === undefined ? undefined : String(row[0]);
    return this.#mark;
  }

  async isEmpty(): Promise<boolean> {
    const others = `MATCH (n) WHERE size(labels(n)) = 0 OR any(label IN labels(n) WHERE NOT label STARTS WITH $own)`;
    return (await this.run(`${others} RETURN 1 LIMIT 1`, { own: OWN })).length === 0;
  }

  async clear(removed: (count: number) => void): Promise<void> {
    await this.run(`${MARK} DELETE c`, {}, true);
    let count = 0;
    // Relationships first: a node takes all of its own with it, which may be more than a transaction can hold.
    for (const [match, one] of [
      ['MATCH ()-[r]->()', 'r'],
      ['MATCH (n)', 'n'],
    ] as const) {
      for (;;) {
        const text = `${match} WITH ${one} LIMIT $limit DELETE ${one} RETURN count(*)`;
        const [row] = await this.run(text, { limit: BigInt(REMOVED) }, true);
        const n = Number(row?.[0] ?? 0);
        if (n === 0) break;
        removed((count += n));
      }
    }
    await (await this.#open()).close();
  }

  async begin(mark: string): Promise<void> {
    // The service makes them again; meanwhile they would only cost time.
    const own = 'name STARTS WITH $keys OR name STARTS WITH $texts';
    const names = await this.run(`SHOW INDEXES YIELD name WHERE ${own} RETURN name`, {
      keys: KEY_INDEXES,
      texts: TEXT_INDEXES,
    });
    const drops = names.map(([name]) => `DROP INDEX ${quoted(String(name))} IF EXISTS`);
    if (drops.length > 0) await this.database.runTogether(drops, INDEX_PATIENCE);
    try {
      await this.run(`CREATE (:${META} {name: $name, mark: $mark})`, { name: COPY_MARK, mark }, true);
    } catch (error) {
      if (error instanceof GraphError && error.code === 'already_taken') throw otherCopy();
      throw error;
    }
    this.#mark = mark;
  }

  async write(items: readonly BulkItem[], mark: string): Promise<void> {
    const pairs = new Map<string, { type: string; relType: string }>();
    const pending = new Pending();
    for (const { entity, position } of items) {
      const { id, type, properties } = entity;
      // A text beyond what an index can hold is cut when there is an index; an array that long cannot be cut later.
      const raw: RawProperties = encodeProperties(
        properties,
        (key) => entity.kind === 'node' && typeof properties[key] === 'object',
      );
      const own = { ...raw, id, type, [SEQUENCE]: BigInt(position) };
      if (entity.kind === 'node') pending.createNode(id, type, own);
      else {
        const { relType, sourceId: source, targetId: target } = entity;
        pending.link({ id, relType, source, target, raw: own });
        const pair = JSON.stringify([type, relType]);
        if (!this.#catalogued.has(pair)) pairs.set(pair, { type, relType });
      }
    }
    const catalog: Statement = {
      text: `UNWIND $pairs AS pair MERGE (:${CATALOG} {type: pair.type, relType: pair.relType})`,
      params: { pairs: [...pairs.values()] },
    };
    await this.#transaction(mark, pending, pairs.size === 0 ? [] : [catalog]);
    for (const pair of pairs.keys()) this.#catalogued.add(pair);
  }

  async setMark(mark: string): Promise<void> {
    await this.write([], mark);
  }

  async #transaction(mark: string, pending: Pending, also: readonly Statement[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const session = this.database.session(true);
      try {
        const tx = session.beginTransaction({ timeout: 0 });
        const before = this.#mark;
        // All are sent at once; the mark comes first, so that its lock keeps other copies out.
        const marked = tx.run(`${MARK} WHERE c.mark = $before SET c.mark = $mark RETURN count(*)`, { before, mark });
        const written = pending.statements();
        const statements = [...also, ...written.map(({ statement }) => statement)];
        const results = await Promise.all([marked, ...statements.map(({ text, params }) => tx.run(text, params))]);
        const counts = results.map(({ records }) => Number(records[0]?.get(0)));
        if (counts[0] !== 1) throw otherCopy();
        for (const [i, { rows }] of written.entries()) {
          if (counts[1 + also.length + i] === rows) continue;
          throw new GraphError('unavailable', 'Another client of the database removed what was being written.');
        }
        await tx.commit();
        this.#mark = mark;
        return;
      } catch (error) {
        if (!isTransient(error) || attempt === ATTEMPTS) throw graphError(error);
        await new Promise((resolve) => setTimeout(resolve, attempt * 100));
      } finally {
        session.close().catch(ignored);
      }
    }
  }

  async setTraits(traitsIn: (graph: Graph) => Promise<TraitsByType | undefined>): Promise<void> {
    const graph = await this.#open();
    let traits: TraitsByType | undefined;
    try {
      traits = await traitsIn(graph);
    } finally {
      await graph.close();
    }
    for (const type of (await this.counts()).nodes.keys()) {
      const named = traits?.get(type);
      if (named === undefined) continue;
      const set = `SET n${allLabels(type, named)}`;
      await this.run(`MATCH (n:${labelOf(type)}) CALL { WITH n ${set} } IN TRANSACTIONS OF 5000 ROWS`, {}, true);
    }
  }

  async finish(next: number, { notes, commit }: Belongings): Promise<void> {
    await this.run(DELETE_NOTES, {}, true);
    await this.run(SET_NOTES, { notes: [...notes].map(([name, text]) => ({ name, text })) }, true);
    const text =
      `${MARK} MATCH (m:${META} {name: 'writer'}) ` +
      `SET m.seq = CASE WHEN m.seq < $next THEN $next ELSE m.seq END, ` +
      `m.commit = CASE WHEN coalesce(m.commit, 0) < $commit THEN $commit ELSE m.commit END DELETE c`;
    await this.database.run({ text, params: { next: BigInt(next), commit: BigInt(commit) } }, { deadline: FAR }, true);
  }
}

function otherCopy(): GraphError {
  return new GraphError('locked', 'Another copy is writing into the same database.');
}
