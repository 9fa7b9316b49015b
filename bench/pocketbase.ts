/** PocketBase with the records of the bench, built from the Go module proxy (bench/peers/pocketbase). */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';

// Beside the source, wherever the compiled file is.
const BUILD = fileURLToPath(new URL('../../bench/peers/pocketbase/build.sh', import.meta.url));
/** In a folder of temporary files it takes itself for a program under development, and prints each statement. */
const NO_DEVELOPMENT = '--dev=false';
const START_TIMEOUT = 20_000;

/** A collection that everybody may list, view and change, and its records. */
export interface Collection {
  readonly name: string;
  /** Types: text, number, bool, or the name of an earlier collection, to one record of which the field relates. */
  readonly fields: Readonly<Record<string, string>>;
  readonly indexes: readonly string[];
  readonly records: Iterable<Record<string, unknown>>;
}

/** The collection `items` with the properties of dataset.ts and readers.ts. */
export function items(records: Collection['records']): Collection {
  const [text, number] = ['text', 'number'];
  const fields = { name: text, code: text, rank: number, price: number, active: 'bool', note: text, kind: text };
  return { name: 'items', fields, indexes: ['code', 'rank', 'kind'], records };
}

export class PocketBase {
  private constructor(
    readonly port: number,
    /** Of all its records, in the order in which they came. */
    readonly ids: readonly string[],
    private readonly child: ChildProcess,
  ) {}

  /** Builds the program; a string says why that cannot be done here, in one line. */
  static build(folder: string): { readonly program: string } | string {
    const program = join(folder, 'pocketbase');
    const { status, stderr, error } = spawnSync('sh', [BUILD, program], { encoding: 'utf8' });
    if (status === 0) return { program };
    return error?.message ?? stderr.trim().split('\n').at(-1) ?? 'it was not built';
  }

  /** Makes collections with their records, and serves them. */
  static async start(program: string, folder: string, ...collections: readonly Collection[]): Promise<PocketBase> {
    await mkdir(folder, { recursive: true });
    const ids = await fill(program, folder, collections);
    const port = await freePort();
    const child = spawn(program, ['serve', NO_DEVELOPMENT, '--dir', folder, '--http', `127.0.0.1:${String(port)}`], {
      cwd: folder,
      stdio: 'ignore',
    });
    for (const end = Date.now() + START_TIMEOUT; ; await sleep(50)) {
      const answers = await fetch(`http://127.0.0.1:${String(port)}/api/health`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (answers) return new PocketBase(port, ids, child);
      if (child.exitCode !== null || Date.now() > end) {
        child.kill();
        throw new Error('PocketBase did not start');
      }
    }
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async end(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await gone;
  }
}

/** The ids of the records. */
async function fill(program: string, folder: string, collections: readonly Collection[]): Promise<string[]> {
  const child = spawn(program, ['fill', NO_DEVELOPMENT, '--dir', folder], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const ended = once(child.stdout, 'end');
  const lines = function* (): Generator<string> {
    for (const { name, fields, indexes, records } of collections) {
      const list = Object.entries(fields).map(([field, type]) => ({ name: field, type }));
      yield `${JSON.stringify({ collection: { name, fields: list, indexes } })}\n`;
      for (const record of records) yield `${JSON.stringify({ record })}\n`;
    }
  };
  await pipeline(Readable.from(lines()), child.stdin);
  const [code] = (await gone) as [number | null];
  await ended;
  if (code !== 0) throw new Error(`PocketBase took no records: ${String(code)}`);
  return text.split('\n').filter((line) => line !== '');
}
