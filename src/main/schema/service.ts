/**
 * Keeps the compiled schema and runs typed write transactions. A change to a schema object compiles the new
 * schema inside its own transaction: what does not compile is refused and nothing has changed; what does
 * holds for every transaction that begins afterwards (schema.md 15).
 */
import type { EntityReference, Graph, GraphEntity, ReadTransaction, TransactionOptions } from '../graph/index.js';
import { logger } from '../../shared/log.js';
import { builtinRelations, builtinTraits } from './builtin/index.js';
import { compileSchema } from './compile.js';
import { SchemaError } from './errors.js';
import { loadDefinitions } from './load.js';
import { META_RELATIONSHIPS, META_TYPES } from './meta-types.js';
import type { Actor, ObjectAccess } from './objects/actor.js';
import type { Lifecycle } from './objects/lifecycle.js';
import { ObjectTransaction } from './objects/transaction.js';
import type { WriteOptions } from './objects/write-options.js';
import type { PropertySettings } from './properties/property.js';
import type { Schema } from './schema.js';

const log = logger('schema');

const isMeta = (entity: GraphEntity): boolean =>
  entity.kind === 'node' ? META_TYPES.has(entity.type) : META_RELATIONSHIPS.has(entity.relType);
const isMetaReference = ({ kind, type }: EntityReference): boolean =>
  (kind === 'node' ? META_TYPES : META_RELATIONSHIPS).has(type);

export class SchemaService {
  /** What writers see: the newest schema, perhaps of a transaction that is about to be committed. */
  private latest: Schema;
  /** Methods of users that run when objects change; set when the rooms are put together. */
  lifecycle: Lifecycle | undefined;

  private constructor(
    private readonly graph: Graph,
    private readonly settings: PropertySettings,
    /** What readers see: the schema of the last commit. */
    private committed: Schema,
  ) {
    this.latest = committed;
    graph.onCommit((changes) => {
      if (this.committed === this.latest || !changes.some((c) => isMeta(c.entity))) return;
      this.committed = this.latest;
      this.updateIndexes();
    });
    graph.watch({
      concerns: (change) => isMeta(change.entity),
      changed: async (entities) => {
        if (entities === 'everything' || entities.some(isMetaReference)) await this.reload();
      },
    });
  }

  /** Compiles the schema that is in the graph. Throws `SchemaError` when it does not make sense. */
  static async start(graph: Graph, settings: PropertySettings): Promise<SchemaService> {
    const schema = await graph.read((tx) => compile(tx, settings, 1));
    const service = new SchemaService(graph, settings, schema);
    await graph.setIndexes(schema.indexes, schema.textIndexes);
    return service;
  }

  /** The schema that requests beginning now work with. */
  get schema(): Schema {
    return this.committed;
  }

  /** Runs `work` as one transaction over typed objects; see `Graph.write`. */
  async write<T>(
    actor: Actor,
    access: ObjectAccess,
    options: WriteOptions,
    work: (objects: ObjectTransaction) => Promise<T>,
    limits?: TransactionOptions,
    /** Without `afterCreate` and the like: they would set themselves off again. */
    { quietly = false } = {},
  ): Promise<T> {
    let after: (() => Promise<void>) | undefined;
    let begun: ObjectTransaction | undefined;
    let compiled: Schema | undefined;
    let before: Schema | undefined;
    try {
      const written = await this.graph.write(async (tx) => {
        const schema = this.latest;
        const objects = new ObjectTransaction(tx, schema, actor, access, options, this.lifecycle);
        begun = objects;
        const result = await work(objects);
        await objects.finish();
        if (!quietly && this.lifecycle?.active(schema) === true) {
          const changes = [...tx.changes()];
          after = () => this.lifecycle?.afterCommit(changes, objects) ?? Promise.resolve();
        }
        if (tx.changes().some((c) => isMeta(c.entity))) {
          compiled = await compile(tx, this.settings, schema.version + 1, true);
          before = schema;
          this.latest = compiled;
        }
        return result;
      }, limits);
      begun?.ended(true);
      await after?.();
      return written;
    } catch (error) {
      begun?.ended(false);
      // The commit itself failed after the new schema was compiled: writers go back to the committed one.
      if (compiled !== undefined && this.latest === compiled && before !== undefined) this.latest = this.committed;
      throw error;
    }
  }

  /** Another instance has changed the schema; nobody writes here meanwhile. */
  private async reload(): Promise<void> {
    try {
      const { version } = this.latest;
      this.latest = this.committed = await this.graph.read((tx) => compile(tx, this.settings, version + 1));
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      // It compiled there: that instance runs another version of the service.
      log.error('the schema that another instance wrote does not compile here; the one before stays', error);
      return;
    }
    log.info('the schema was changed by another instance');
    this.updateIndexes();
  }

  private updateIndexes(): void {
    this.graph.setIndexes(this.committed.indexes, this.committed.textIndexes).catch((error: unknown) => {
      log.error('indexes could not be brought in line with the schema', error);
    });
  }
}

async function compile(
  tx: ReadTransaction,
  settings: PropertySettings,
  version: number,
  written = false,
): Promise<Schema> {
  return compileSchema({ builtinTraits, builtinRelations, ...(await loadDefinitions(tx)), settings, version, written });
}
