/** The instance that `svc schema` works with: at an address, or the one of a settings file, running or stopped. */
import { mustOwn, settingsIn } from './settings.js';
import { askServer } from '../control-socket.js';
import { openGraph } from '../opening/open-graph.js';
import { openSchema } from '../opening/open-schema.js';
import { restServer } from './reach-server.js';
import { checkOptions, RemoteError, type ServerOptions } from '../remote/index.js';
import { exportSchema, replaceSchema, SCHEMA_APPLY, SCHEMA_EXPORT, type SchemaApplied } from '../schema-control.js';

export interface SchemaInstance {
  /** The text of its document. */
  read(): Promise<string>;
  /** Makes a document its schema; with `dryRun` it only tries. */
  apply(text: string, dryRun: boolean): Promise<SchemaApplied>;
  close(): Promise<void>;
}

const PATH = '/svc/rest/maintenance/_schemaJson';
/** Milliseconds that a large schema may take. */
const PATIENCE = 600_000;

/** Throws `UsageError`, `RemoteError`, `GraphError`, `ControlError`. */
export async function openInstance(options: ServerOptions): Promise<SchemaInstance> {
  checkOptions(options);
  const { conf = 'svc.conf', url, user } = options;
  return url === undefined || user === undefined ? openDatabase(conf) : openRemote(url, user);
}

async function openDatabase(confPath: string): Promise<SchemaInstance> {
  const config = await settingsIn(confPath);
  const folder = config.get('database.driver') === 'embedded' ? config.path('database.path') : undefined;
  if (folder !== undefined) {
    await mustOwn(folder);
    // Asked once: whether it runs is known then. Without a server nothing is answered.
    const text = await askServer(folder, SCHEMA_EXPORT, {}, PATIENCE);
    if (typeof text === 'string') {
      return {
        read: () => Promise.resolve(text),
        apply: async (schema, dryRun) => {
          const applied = await askServer(folder, SCHEMA_APPLY, { schema, dryRun }, PATIENCE);
          if (applied === undefined) throw new RemoteError('the server has stopped; nothing was done.');
          return applied as SchemaApplied;
        },
        close: () => Promise.resolve(),
      };
    }
  }
  const graph = await openGraph(config);
  try {
    const database = { config, graph, schemas: await openSchema(config, graph) };
    return {
      read: () => exportSchema(database),
      apply: (text, dryRun) => replaceSchema(database, text, dryRun),
      close: () => graph.close(),
    };
  } catch (error) {
    await graph.close();
    throw error;
  }
}

async function openRemote(url: string, user: string): Promise<SchemaInstance> {
  const server = await restServer(url, user);
  return {
    read: async () => {
      const { result } = await server.request('GET', PATH);
      if (typeof result === 'string') return result;
      throw new RemoteError(`${server.name} has answered no schema.`);
    },
    apply: async (schema, dryRun) => {
      const { differences, warnings } = await server.request('POST', PATH, { schema, dryRun });
      return { differences: linesOf(differences), warnings: linesOf(warnings) };
    },
    close: () => Promise.resolve(),
  };
}

const linesOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
