import { readFileSync } from 'node:fs';
import { catalogue } from './catalogue.js';
import { decode } from './conf-store.js';
import { readEnvironmentLayer, readFileLayer, type Environment } from './layers.js';

/** What the launcher needs to know before the server runs. */
export interface LaunchSettings {
  /** Flags for Node. */
  readonly nodeFlags: readonly string[];
  /** Value of `TZ`. */
  readonly timeZone: string;
  /** A server that crashed is started again. */
  readonly restart: boolean;
  /** Lines for the operator. */
  readonly notes: readonly string[];
}

/** With less, Node does not get as far as a message. */
const SMALLEST_HEAP_MB = 64;

/**
 * Heap limits, time zone and `application.restart`, from the settings file and the environment. Read by the launcher (`bin/svc.js`) with
 * synchronous calls, since nothing else runs there. Never throws: a file or a value that makes no sense counts as not
 * set here, and the server itself then refuses to start and says why.
 *
 * What Node can honour: `application.heap.max_size` is V8's limit of the old generation, where nearly all of the heap
 * lies; buffers and the caches of SQLite are outside of it. V8 takes no memory in advance, so a minimum can only mean
 * that it lets the heap grow to this size before it looks for garbage in all of it. The default minimum would thereby
 * cost a small server memory for nothing and is left to V8; one that is set is handed on.
 *
 * The time zone is `application.timezone`, which the variable `SVC_TIMEZONE` sets as well, else `TZ`, else UTC
 * (docs/interface/operations.md 1.4).
 */
export function launchSettings(confPath: string, env: Environment): LaunchSettings {
  const file = readFileLayer({ text: readText(confPath), mode: 0o600, latin1: false }, confPath).layer.known;
  const environment = readEnvironmentLayer(env).layer.known;
  const given = (name: 'application.heap.min_size' | 'application.heap.max_size' | 'application.timezone') => {
    const value = environment.get(name) ?? file.get(name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const notes: string[] = [];

  let max = megabytes(given('application.heap.max_size') ?? catalogue['application.heap.max_size'].default);
  if (max < SMALLEST_HEAP_MB) {
    notes.push(`application.heap.max_size is less than Node needs; taking ${String(SMALLEST_HEAP_MB)}m`);
    max = SMALLEST_HEAP_MB;
  }
  // Isolates of users' JavaScript cannot be made from Node's own snapshot (documentation of isolated-vm).
  const nodeFlags = ['--no-node-snapshot', `--max-old-space-size=${String(max)}`];
  const min = given('application.heap.min_size');
  if (min !== undefined) nodeFlags.push(`--initial-old-space-size=${String(Math.min(megabytes(min), max))}`);

  const timeZone = given('application.timezone') ?? (env['TZ'] === '' ? undefined : env['TZ']);
  const restart = environment.get('application.restart') ?? file.get('application.restart');
  return {
    nodeFlags,
    timeZone: timeZone ?? 'UTC',
    restart: typeof restart === 'boolean' ? restart : catalogue['application.restart'].default,
    notes,
  };
}

/** `512m`, `4g`, `8192k` in MB, rounded up. */
function megabytes(size: string): number {
  const amount = Number.parseInt(size, 10);
  switch (size.at(-1)?.toLowerCase()) {
    case 'g':
      return amount * 1024;
    case 'm':
      return amount;
    default:
      return Math.ceil(amount / 1024);
  }
}

function readText(path: string): string {
  try {
    return decode(readFileSync(path)).text;
  } catch {
    return '';
  }
}
