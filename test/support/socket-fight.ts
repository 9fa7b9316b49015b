import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newCertificate } from './certificates.js';

function run(script: string, args: readonly string[]): ChildProcess & { stdout: NonNullable<ChildProcess['stdout']> } {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] }) as never;
}

/** Line by line until one is JSON: the server logs into the same place. */
async function report(child: { stdout: NodeJS.ReadableStream }): Promise<Record<string, number>> {
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) {
      child.stdout.resume();
      return JSON.parse(line) as Record<string, number>;
    }
  }
  throw new Error('The process ended and said nothing');
}

/** What a server keeps for requests: bytes of bodies and answers, and how many requests are not over. */
export interface Held {
  readonly bodies: number;
  readonly answers: number;
  readonly requests: number;
}

/** Longer than a server lets a client wait or be waited for. */
const PATIENCE_MS = 30_000;

/** What is left when all clients are gone; asked for until it is nothing. */
async function heldBy(server: ChildProcess): Promise<Held> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = once(server, 'message') as Promise<[Held]>;
    server.send('held');
    const [held] = await answer;
    if (Object.values(held).every((one) => one === 0) || Date.now() > end) return held;
    await sleep(100);
  }
}

/**
 * Random clients against a server in a process of its own, until the time is over and there are as many answers as are wanted. `exit`:
 * how the server ended, which it should not; `held`: what it keeps then.
 */
export async function fightSockets(
  transport: 'uws' | 'node',
  seconds: number,
  answersWanted: number,
): Promise<{ readonly answers: number; readonly exit: string | undefined; readonly held: Held | undefined }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sockets-'));
  const { certificate, key } = newCertificate('sockets');
  const [chainFile, keyFile] = [join(folder, 'chain.pem'), join(folder, 'key.pem')];
  writeFileSync(chainFile, certificate);
  writeFileSync(keyFile, key);
  const server = run('http-child.mjs', [transport, chainFile, keyFile]);
  let exit: string | undefined;
  server.once('exit', (code, signal) => (exit = String(signal ?? code)));
  try {
    const { port, securePort } = await report(server);
    const clients = run('sockets.mjs', [String(port), String(securePort), String(seconds), String(answersWanted)]);
    const { answers = 0 } = await report(clients);
    const held = exit === undefined ? await heldBy(server) : undefined;
    return { answers, exit, held };
  } finally {
    if (exit === undefined) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
