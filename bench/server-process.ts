/** The built server as users run it, with a settings file in a folder of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVE = fileURLToPath(new URL('../../bin/serve.js', import.meta.url));
const START_TIMEOUT = 120_000;

/** The initial administrator. */
export const CREDENTIALS = { 'X-User': 'admin', 'X-Password': 'admin' } as const;

/** Lines of svc.conf. */
export type ServerSettings = Readonly<Record<string, string | number | boolean>>;

export class ServerProcess {
  private constructor(
    readonly folder: string,
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly said: () => string,
    private readonly exited: Promise<number | null>,
  ) {}

  /** Resolves when it listens. */
  static async start(
    folder: string,
    nodeArguments: readonly string[] = [],
    settings: ServerSettings = {},
  ): Promise<ServerProcess> {
    const conf = {
      'superuser.password': 'superuser-secret',
      'application.host': '127.0.0.1',
      'application.http.port': 0,
      'database.path': 'db',
      // A line a request would be measured too.
      'log.level': 'INFO',
      ...settings,
    };
    const lines = Object.entries(conf).map(([key, value]) => `${key} = ${String(value)}\n`);
    await writeFile(join(folder, 'svc.conf'), lines.join(''), { mode: 0o600 });
    const child = spawn(
      process.execPath,
      ['--no-node-snapshot', ...nodeArguments, SERVE, '--conf', join(folder, 'svc.conf')],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    let text = '';
    const take = (chunk: Buffer): void => {
      // Only the beginning is kept, but all is read, so that the pipe never fills.
      if (text.length < 100_000) text += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const said = (): string => text;
    const port = await listening(child, exited, said);
    return new ServerProcess(folder, port, child, said, exited);
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }
  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Where debuggers reach it, when it was started for that. */
  get inspectorUrl(): string {
    const url = /Debugger listening on (ws:\S+)/.exec(this.said())?.[1];
    if (url === undefined) throw new Error('the server listens to no debugger');
    return url;
  }

  /** Statements about objects that it has sent to the database so far, when `log.cypher.debug` is on. */
  get statements(): readonly string[] {
    const texts = [...this.said().matchAll(/org\.svc\.graph - [\d.]+ ms: (.*)/g)].map((match) => match[1] ?? '');
    return texts.filter((text) => !/^(SHOW|CREATE|DROP) |^(MATCH|MERGE) \(\w+:_svc_/.test(text));
  }

  /** Ends it as an operator would; the database is closed cleanly. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.exited;
  }

  async request(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<{ result: unknown }> {
    const answer = await fetch(`${this.url}/svc/rest${path}`, {
      method,
      headers: { ...CREDENTIALS, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${String(answer.status)}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as { result: unknown };
  }
}

function listening(child: ChildProcess, exited: Promise<number | null>, said: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT);
    const look = (): void => {
      const match = /listening on http:\/\/localhost:(\d+)/.exec(said());
      if (match === null) return;
      clearTimeout(timer);
      child.stdout?.off('data', look);
      resolve(Number(match[1]));
    };
    child.stdout?.on('data', look);
    void exited.then((code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${String(code)}:\n${said()}`));
    });
  });
}
