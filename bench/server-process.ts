/** The server as users run it: the built main.js with a settings file in a folder of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/main/main.js', import.meta.url));
const START_TIMEOUT = 120_000;

/** The initial administrator. */
export const CREDENTIALS = { 'X-User': 'admin', 'X-Password': 'admin' } as const;

export class ServerProcess {
  private constructor(
    readonly folder: string,
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly exited: Promise<number | null>,
  ) {}

  /** Resolves when it listens. */
  static async start(folder: string, nodeArguments: readonly string[] = []): Promise<ServerProcess> {
    const conf = {
      'superuser.password': 'superuser-secret',
      'application.host': '127.0.0.1',
      'application.http.port': 0,
      'database.path': 'db',
      // A line a request would be measured too.
      'log.level': 'INFO',
    };
    const lines = Object.entries(conf).map(([key, value]) => `${key} = ${String(value)}\n`);
    await writeFile(join(folder, 'svc.conf'), lines.join(''), { mode: 0o600 });
    const child = spawn(process.execPath, [...nodeArguments, MAIN, '--conf', join(folder, 'svc.conf')], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const port = await listening(child, exited);
    return new ServerProcess(folder, port, child, exited);
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }
  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Ends it as an operator would; the database is closed cleanly. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.exited;
  }

  async request(method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ result: unknown }> {
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

function listening(child: ChildProcess, exited: Promise<number | null>): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT);
    const take = (chunk: Buffer): void => {
      // Kept only until it listens, but read on, so that the pipe never fills.
      if (said.length < 100_000) said += chunk.toString();
      const match = /listening on http:\/\/localhost:(\d+)/.exec(said);
      if (match === null) return;
      clearTimeout(timer);
      resolve(Number(match[1]));
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    void exited.then((code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${String(code)}:\n${said}`));
    });
  });
}
