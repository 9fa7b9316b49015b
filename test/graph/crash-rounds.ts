/** Kills a writing process again and again and looks at what is left: the body of the short and the long crash test. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { openSqliteGraph } from '../../src/main/graph/index.js';

const CHILD = join(import.meta.dirname, '../support/crash-child.mjs');

/** One life of the child: resolves with the acknowledged numbers once it is dead. */
function live(path: string, first: number, milliseconds: number, thread: boolean): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD, path, String(first), thread ? 'thread' : ''], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output === '') setTimeout(() => child.kill('SIGKILL'), milliseconds);
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.on('error', reject);
    child.on('close', (_code, signal) => {
      if (signal !== 'SIGKILL') reject(new Error(`the child ended by itself: ${errors}`));
      // A last line without its newline was cut by the kill.
      else resolve(output.split('\n').slice(1, -1).map(Number));
    });
  });
}

/** The state a killed process left: everything acknowledged is there, nothing is there by half. */
async function inspect(path: string, acknowledged: ReadonlySet<number>): Promise<number> {
  const graph = await openSqliteGraph({ path });
  let highest = -1;
  await graph.read(async (tx) => {
    const missing = new Set(acknowledged);
    const ends = new Map<string, unknown>();
    for await (const batch of tx.stream({ kind: 'nodes', types: ['Right'] })) {
      for (const node of batch) ends.set(node.id, node.properties['n']);
    }
    const lefts = new Set<number>();
    for await (const batch of tx.stream({ kind: 'nodes', types: ['Left'] })) {
      for (const node of batch) {
        const n = Number(node.properties['n']);
        ends.set(node.id, n);
        lefts.add(n);
        missing.delete(n);
        highest = Math.max(highest, n);
        expect(n % 11, 'a failed transaction left something').not.toBe(0);
      }
    }
    expect([...missing], 'acknowledged writes are lost').toEqual([]);
    const pairs = new Set<number>();
    for await (const batch of tx.stream({ kind: 'relationships', types: ['LeftPAIRRight'] })) {
      for (const one of batch) {
        const { n } = one.properties;
        expect([ends.get(one.sourceId), ends.get(one.targetId)]).toEqual([n, n]);
        pairs.add(Number(n));
      }
    }
    expect(pairs.size, 'half a transaction is there').toBe(lefts.size);
    for (const type of ['Left', 'Right']) {
      expect(await tx.count({ kind: 'nodes', types: [type] })).toEqual({ count: lefts.size, exact: true });
      // By the property index, which must tell the same.
      const range = { op: 'range', key: 'n', from: 0 } as const;
      expect((await tx.count({ kind: 'nodes', types: [type], where: range })).count).toBe(lefts.size);
    }
  });
  await graph.indexesReady();
  await graph.close();
  const db = new Library(join(path, 'graph.db'), { readonly: true });
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
  return highest;
}

/** `rounds` kills of processes on one database, every second one of which writes by a thread; it is looked into after each `every`. */
export async function crashRounds(path: string, rounds: number, every: number): Promise<number> {
  const acknowledged = new Set<number>();
  let first = 1;
  for (let round = 1; round <= rounds; round++) {
    for (const n of await live(path, first, 5 + Math.random() * 250, round % 2 === 0)) acknowledged.add(n);
    if (round % every === 0 || round === rounds) first = (await inspect(path, acknowledged)) + 1;
    else first += 1_000_000;
  }
  return acknowledged.size;
}
