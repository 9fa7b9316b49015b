import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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

/** Random clients against a server in a process of its own. `exit`: how that ended, which it should not. */
export async function fightSockets(
  transport: 'uws' | 'node',
  seconds: number,
): Promise<{ readonly answers: number; readonly exit: string | undefined }> {
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
    const clients = run('sockets.mjs', [String(port), String(securePort), String(seconds)]);
    const { answers = 0 } = await report(clients);
    return { answers, exit };
  } finally {
    if (exit === undefined) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }
}
