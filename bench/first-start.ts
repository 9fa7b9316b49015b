/** The first start of all: the launcher in an empty folder, without settings. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cpuSeconds } from './process-figures.js';
import { CREDENTIALS } from './server-process.js';

const LAUNCHER = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));
const TIMEOUT = 120_000;

export interface FirstStart {
  /** From the start of the launcher to the first answer. */
  readonly seconds: number;
  /** What launcher and server have used of the processor then. */
  readonly processor: number;
}

/** Starts, asks for what needs the database, the schema and a password, and ends it. Throws when it does not answer. */
export async function firstStart(folder: string): Promise<FirstStart> {
  const begin = performance.now();
  const child = spawn(process.execPath, [LAUNCHER], {
    cwd: folder,
    env: { ...process.env, SVC_application_http_port: '0', SVC_application_host: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => {
      resolve();
    }),
  );
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let text = '';
      const look = (chunk: Buffer): void => {
        text += chunk.toString();
        const port = /listening on http:\/\/localhost:(\d+)/.exec(text)?.[1];
        if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT);
      void ended.then(() => {
        clearTimeout(timer);
        reject(new Error(`the server did not start:\n${text}`));
      });
    });
    const answer = await fetch(`${url}/svc/rest/User?name=admin`, { headers: CREDENTIALS });
    const text = await answer.text();
    const seconds = (performance.now() - begin) / 1000;
    if (!answer.ok || !text.includes('"admin"'))
      throw new Error(`the first answer was ${String(answer.status)}: ${text}`);
    return {
      seconds,
      processor: [child.pid ?? 0, ...childrenOf(child.pid ?? 0)].reduce(
        (sum, pid) => sum + (cpuSeconds(pid) ?? NaN),
        0,
      ),
    };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  return text
    .split(' ')
    .filter((one) => one.trim() !== '')
    .map(Number);
}
