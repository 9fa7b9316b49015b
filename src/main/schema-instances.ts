/** The instance that `svc schema` works with: at an address, or the one of a settings file, running or stopped. */
import { readFile } from 'node:fs/promises';
import { askSecret } from '../shared/ask-hidden.js';
import { mustOwn, settingsIn, UsageError } from './command-settings.js';
import { askServer } from './control-socket.js';
import { openGraph } from './open-graph.js';
import { openSchema } from './open-schema.js';
import { exportSchema, replaceSchema, SCHEMA_APPLY, SCHEMA_EXPORT, type SchemaApplied } from './schema-control.js';

export interface SchemaInstance {
  /** The text of its document. */
  read(): Promise<string>;
  /** Makes a document its schema; with `dryRun` it only tries. */
  apply(text: string, dryRun: boolean): Promise<SchemaApplied>;
  close(): Promise<void>;
}

/** An instance that refused, or does not answer. */
export class InstanceError extends Error {
  override readonly name = 'InstanceError';
}

export interface InstanceArguments {
  readonly conf?: string | undefined;
  readonly url?: string | undefined;
  readonly user?: string | undefined;
  readonly passwordFile?: string | undefined;
}

/** Milliseconds that a large schema may take. */
const PATIENCE = 600_000;

/** Throws `UsageError`, `InstanceError`, `GraphError`, `ControlError`. */
export async function openInstance(given: InstanceArguments): Promise<SchemaInstance> {
  return given.url === undefined ? openDatabase(given.conf ?? 'svc.conf') : openRemote(given.url, given);
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
          if (applied === undefined) throw new InstanceError('the server has stopped; nothing was done.');
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

async function openRemote(url: string, { user, passwordFile }: InstanceArguments): Promise<SchemaInstance> {
  const address = addressOf(url);
  if (user === undefined) throw new UsageError('--url needs --user.');
  const password = passwordFile === undefined ? await askSecret(`Password of ${user}`) : await passwordIn(passwordFile);
  if (password === undefined) throw new UsageError('no password was given.');
  const credentials = { 'X-User': user, 'X-Password': password };
  return {
    read: async () => {
      const { result } = await ask(address, { headers: credentials });
      if (typeof result === 'string') return result;
      throw new InstanceError(`${address.origin} has answered no schema.`);
    },
    apply: async (schema, dryRun) => {
      const body = JSON.stringify({ schema, dryRun });
      const headers = { ...credentials, 'Content-Type': 'application/json' };
      const { differences, warnings } = await ask(address, { method: 'POST', headers, body });
      return { differences: linesOf(differences), warnings: linesOf(warnings) };
    },
    close: () => Promise.resolve(),
  };
}

function addressOf(url: string): URL {
  try {
    const base = new URL(url);
    if (base.protocol === 'http:' || base.protocol === 'https:')
      return new URL(`${base.origin}${base.pathname.replace(/\/+$/, '')}/svc/rest/maintenance/_schemaJson`);
  } catch {
    // Told below.
  }
  throw new UsageError(`${url} is no address of a server (https://host:port).`);
}

async function passwordIn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`the password file ${path} cannot be read.`, { cause: error });
  }
}

async function ask(address: URL, init: RequestInit): Promise<Record<string, unknown>> {
  let answer: Response;
  let text: string;
  try {
    // Elsewhere nobody should get the password.
    answer = await fetch(address, { ...init, redirect: 'error', signal: AbortSignal.timeout(PATIENCE) });
    text = await answer.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new InstanceError(`${address.origin} does not answer: ${cause}`, { cause: error });
  }
  const body = objectIn(text);
  if (answer.ok) return body;
  const why = typeof body['message'] === 'string' ? body['message'] : 'no reason was told';
  throw new InstanceError(`${address.origin} answered ${String(answer.status)}: ${why}`);
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // What it is instead is of no use.
  }
  return {};
}

const linesOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
