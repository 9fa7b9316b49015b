/**
 * The one harness: starts the built server as users start it, in a folder of its own, on a free port.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { neo4jOptions, wipeNodes } from '../graph/neo4j.js';
import { Client } from './client.js';
import { DEBUGGED, endOf, know } from './hanging.js';
import { keepFrom, search, secretsIn } from './secrets.js';

const SERVE = fileURLToPath(new URL('../../bin/serve.js', import.meta.url));
const LAUNCHER = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));
const START_TIMEOUT = 100_000;
/** For what the log will say in a moment. */
const PATIENCE = 60_000;

export interface ServerOptions {
  /** Lines of svc.conf besides those the harness needs. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** An existing folder to start in (restart); it is kept. */
  readonly folder?: string;
  /** Starts without a settings file. */
  readonly noConf?: boolean;
  /** Arguments for node itself. */
  readonly nodeArguments?: readonly string[];
  /** So many files and connections the system lets it have open (`ulimit -n`). */
  readonly openFiles?: number;
  /** By the launcher, as `npm start` does; `child` is the launcher then. */
  readonly launched?: boolean;
}

/** Servers under test keep their data in Neo4j; each begins with an empty database, so tests run one after the other. */
export const onNeo4j = process.env['SVC_TEST_DRIVER'] === 'neo4j';

/** `SVC_TEST_THREADS=2`: servers under test have so many threads that accept connections. */
const THREADS = process.env['SVC_TEST_THREADS'];

function neo4jSettings(): Record<string, string> {
  const { url, user, password } = neo4jOptions();
  return {
    'database.driver': 'neo4j',
    'database.connection.url': url,
    'database.connection.username': user,
    'database.connection.password': password,
  };
}

export const SUPERUSER_PASSWORD = 'superuser-secret';

export class TestServer {
  private constructor(
    readonly folder: string,
    readonly port: number,
    readonly child: ChildProcess,
    readonly lines: string[],
    private readonly exited: Promise<number | null>,
    private readonly keepFolder: boolean,
    /** What it has to tell nobody. */
    private readonly secrets: string[],
  ) {
    keepFrom(this.url, secrets);
  }

  static async start(options: ServerOptions = {}): Promise<TestServer> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'svc-test-')));
    const { code, server, lines } = await TestServer.tryStart(folder, options);
    if (server === undefined) throw new Error(`the server ended with ${String(code)}:\n${lines.join('\n')}`);
    return server;
  }

  /** Starts and waits until it listens or has ended (tests of failing starts). */
  static async tryStart(
    folder: string,
    options: ServerOptions,
  ): Promise<{ code: number | null; server?: TestServer; lines: string[] }> {
    if (onNeo4j && options.folder === undefined) await wipeNodes();
    const settings = {
      'superuser.password': SUPERUSER_PASSWORD,
      'application.host': '127.0.0.1',
      'application.http.port': 0,
      'database.path': 'db',
      // Tests log in more often than any client does; the limit has tests of its own.
      'security.login.maxperminute': 0,
      ...(onNeo4j ? neo4jSettings() : {}),
      // Any test of a server can be run with front-end threads.
      ...(THREADS === undefined ? {} : { 'application.http.threads': THREADS }),
      // Each file would have its text read in a thread, beside tests that are about something else.
      'application.filesystem.indexing.enabled': false,
      ...options.settings,
    };
    const conf = Object.entries(settings).map(([k, v]) => `${k} = ${String(v)}\n`);
    if (options.noConf !== true) await writeFile(join(folder, 'svc.conf'), conf.join(''), { mode: 0o600 });
    const bounded =
      options.openFiles === undefined ? [] : ['-c', `ulimit -n ${String(options.openFiles)}; exec "$0" "$@"`];
    const child = spawn(
      bounded.length === 0 ? process.execPath : 'bash',
      [
        ...bounded,
        ...(bounded.length === 0 ? [] : [process.execPath]),
        '--no-node-snapshot',
        ...DEBUGGED,
        ...(options.nodeArguments ?? []),
        options.launched === true ? LAUNCHER : SERVE,
        '--conf',
        join(folder, 'svc.conf'),
      ],
      {
        cwd: folder,
        // What is meant for the tests is no setting of the server's.
        env: { ...process.env, SVC_TEST_DRIVER: undefined, ...options.environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const lines: string[] = [];
    know(child, lines);
    const secrets = secretsIn(options.noConf === true ? {} : settings);
    const exited = new Promise<number | null>((resolve) =>
      child.once('exit', (code, signal) => {
        if (signal !== null) lines.push(`ended by signal ${signal}`);
        resolve(code);
      }),
    );
    // Its last lines may come behind its end.
    const closed = new Promise((resolve) => child.once('close', resolve));
    const port = await new Promise<number | undefined>((resolve) => {
      let rest = '';
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
      }, START_TIMEOUT);
      const take = (chunk: Buffer): void => {
        const parts = (rest + chunk.toString()).split('\n');
        rest = parts.pop() ?? '';
        for (const line of parts) {
          lines.push(line);
          search(secrets, 'the log', line);
          const match = /listening on http:\/\/localhost:(\d+)/.exec(line);
          if (match !== null) {
            clearTimeout(timer);
            resolve(Number(match[1]));
          }
        }
      };
      child.stdout.on('data', take);
      child.stderr.on('data', take);
      void exited.then(() => {
        clearTimeout(timer);
        resolve(undefined);
      });
    });
    if (port === undefined) {
      await closed;
      return { code: await exited, lines };
    }
    return {
      code: null,
      server: new TestServer(folder, port, child, lines, exited, options.folder !== undefined, secrets),
      lines,
    };
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }
  /** A client that sends these credentials; none: anonymous. */
  as(name?: string, password?: string): Client {
    return new Client(this.url, name, password);
  }
  get admin(): Client {
    return this.as('admin', 'admin');
  }
  get superuser(): Client {
    return this.as('superadmin', SUPERUSER_PASSWORD);
  }
  /** Lines of the log that match. */
  logged(pattern: RegExp): string[] {
    return this.lines.filter((l) => pattern.test(l));
  }
  /** The same, once there is at least one: the log comes through a pipe, possibly after the answer. */
  async untilLogged(pattern: RegExp): Promise<string[]> {
    const end = Date.now() + PATIENCE;
    for (; ; await sleep(5)) {
      const found = this.logged(pattern);
      if (found.length > 0) return found;
      if (Date.now() > end)
        throw new Error(`the log never said ${String(pattern)}; its end:\n${this.lines.slice(-20).join('\n')}`);
    }
  }

  /** Fails with the log's end when the server is gone although nobody ended it. */
  assertAlive(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) return;
    throw new Error(`the server ended by itself:\n${this.lines.slice(-20).join('\n')}`);
  }

  /** Changes settings of the running server, as an operator does. */
  async reload(settings: Readonly<Record<string, string | number | boolean>>): Promise<void> {
    const file = join(this.folder, 'svc.conf');
    const names = new Set(Object.keys(settings));
    const kept = (await readFile(file, 'utf8')).split('\n').filter((line) => !names.has(line.split(' = ')[0] ?? ''));
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${String(value)}`);
    await writeFile(file, [...kept, ...lines, ''].join('\n'));
    this.secrets.push(...secretsIn(settings));
    const before = this.logged(/read .* again/).length;
    this.child.kill('SIGHUP');
    for (const end = Date.now() + PATIENCE; this.logged(/read .* again/).length === before; await sleep(5))
      if (Date.now() > end) throw new Error('the settings were not read again');
  }

  /** Ends the server with a signal; returns its exit code. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return endOf(this.exited);
  }
  /** Ends the server and removes its folder. */
  async stop(): Promise<void> {
    this.assertAlive();
    await this.end();
    if (!this.keepFolder) await rm(this.folder, { recursive: true, force: true });
  }
  /** Ends and starts again on the same folder, with the same or other settings. */
  async restart(options: ServerOptions = {}): Promise<TestServer> {
    await this.end();
    return TestServer.start({ ...options, folder: this.folder });
  }
}
