/** Copies of graphs by the command line, in child processes that may be killed: bodies of the short and the long tests. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { newId, openSqliteGraph } from '../../src/main/graph/index.js';
import { neo4jOptions } from '../graph/neo4j.js';

export const SVC = join(import.meta.dirname, '../../bin/svc.js');
const CHILD = join(import.meta.dirname, './copy-child.mjs');
const { user, password } = neo4jOptions();
const ENV = { SVC_database_connection_username: user, SVC_database_connection_password: password };

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** What a test does in its folder. */
export class Copying {
  constructor(private readonly folder: string) {}

  /** Runs a script; `onOutput` gets all output so far and the child. */
  run(
    script: string,
    args: readonly string[],
    env: Record<string, string> = ENV,
    onOutput: (text: string, kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
  ): Promise<Ended> {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    const took = (): void => {
      onOutput(out + err, (signal) => child.kill(signal));
    };
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      took();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
      took();
    });
    return new Promise((resolve) =>
      child.on('close', (code, signal) => {
        resolve({ code, signal, out, err });
      }),
    );
  }

  copy(from: string, to: string, ...more: string[]): Promise<Ended> {
    return this.run(SVC, ['graph', 'copy', '--from', from, '--to', to, ...more]);
  }

  /** An embedded database with so many nodes, and as many relationships. */
  async fill(path: string, count: number): Promise<void> {
    const graph = await openSqliteGraph({ path: join(this.folder, path) });
    const ids = Array.from({ length: count }, () => newId());
    await graph.write(
      async (tx) => {
        for (const [n, id] of ids.entries()) await tx.createNode({ id, type: 'T', properties: { n } });
        for (const [i, sourceId] of ids.entries()) {
          const targetId = ids[(i * 31) % count] ?? sourceId;
          await tx.createRelationship({ id: newId(), type: 'TR', relType: 'R', sourceId, targetId, properties: {} });
        }
      },
      { timeout: 0 },
    );
    await graph.close();
  }

  /** Kills copies after their second batch, each time going on, until one is done: at most `most` kills. */
  async killedUntilDone(from: string, to: string, most: number): Promise<number> {
    for (let kills = 0; ; kills++) {
      // The verification tells of batches, too; a copy killed there is complete.
      if (kills >= most) {
        const last = await this.copy(from, to, '--resume');
        expect([last.err, last.code]).toEqual([expect.any(String), 0]);
        expect(last.out).toMatch(/counts and checksums agree/);
        return kills;
      }
      const { out, err, signal } = await this.run(CHILD, [from, to], ENV, (text, kill) => {
        if (text.split('batch').length > 3) kill('SIGKILL');
      });
      if (out.includes('done')) return kills;
      expect([signal, err]).toEqual(['SIGKILL', '']);
    }
  }
}
