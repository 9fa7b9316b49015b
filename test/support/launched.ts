/** Servers as users start them: by the launcher, with what it prints and the code it ends with. */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SVC = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));

export interface LaunchOptions {
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** User and group of the process. */
  readonly user?: number;
  /** The launcher of another installation; default: the one of this repository. */
  readonly program?: string;
}

export interface Launched {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Resolves when it listens (undefined) or has ended (its code). */
  readonly started: Promise<number | null | undefined>;
  readonly ended: Promise<number | null>;
  port(): number;
  end(): Promise<number | null>;
}

/** Starts `svc --conf` in a folder. */
export async function launch(
  folder: string,
  { settings = {}, user, program = SVC }: LaunchOptions = {},
): Promise<Launched> {
  const all = {
    'superuser.password': 'superuser-secret',
    'application.host': '127.0.0.1',
    'application.http.port': 0,
    ...settings,
  };
  const conf = Object.entries(all).map(([name, value]) => `${name} = ${String(value)}\n`);
  await writeFile(join(folder, 'svc.conf'), conf.join(''), { mode: 0o644 });
  const child = spawn(process.execPath, [program, '--conf', join(folder, 'svc.conf')], {
    cwd: folder,
    env: { ...process.env, SVC_TEST_DRIVER: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  const lines: string[] = [];
  let port = 0;
  let listening: (() => void) | undefined;
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const started = Promise.race([
    ended,
    new Promise<undefined>((resolve) => {
      listening = () => {
        resolve(undefined);
      };
    }),
  ]);
  let rest = '';
  const take = (chunk: Buffer): void => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      lines.push(line);
      const match = /listening on http:\/\/localhost:(\d+)/.exec(line);
      if (match === null) continue;
      port = Number(match[1]);
      listening?.();
    }
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const end = (): Promise<number | null> => {
    child.kill('SIGTERM');
    return ended;
  };
  return { child, lines, started, ended, port: () => port, end };
}
