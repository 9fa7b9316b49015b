/** Kills a writing process again and again and looks at what is left: the body of the short and the long crash test. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { checkSqliteGraph, openSqliteGraph } from '../../src/main/graph/index.js';

const CRASHING = { child: join(import.meta.dirname, '../support/crash-child.mjs'), from: 'ready' };
/** A hub is there: what comes next is its deletion, however long it took to make it. */
const DELETING = { child: join(import.meta.dirname, '../support/deleting-child.mjs'), from: 'made ' };

/** One life of a child, which ends so many milliseconds after it has told of `from`: resolves with the lines that it has told once it is dead. */
function live(
  path: string,
  milliseconds: number,
  { child, from }: { readonly child: string; readonly from: string },
  ...args: readonly string[]
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, [child, path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    let isCounting = false;
    running.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (isCounting || !output.includes(from)) return;
      isCounting = true;
      setTimeout(() => running.kill('SIGKILL'), milliseconds);
    });
    running.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    running.on('error', reject);
    running.on('close', (_code, signal) => {
      if (signal !== 'SIGKILL') reject(new Error(`the child ended by itself: ${errors}`));
      // A last line without its newline was cut by the kill.
      else resolve(output.split('\n').slice(1, -1));
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
    const args = [String(first), round % 2 === 0 ? 'thread' : ''];
    for (const n of await live(path, 5 + Math.random() * 250, CRASHING, ...args)) acknowledged.add(Number(n));
    if (round % every === 0 || round === rounds) first = (await inspect(path, acknowledged)) + 1;
    else first += 1_000_000;
  }
  return acknowledged.size;
}

/**
 * The same while hubs with so many relationships are made and deleted: each is there with all of them, or is not, and none without. Answers how
 * many deletions were acknowledged.
 */
export async function deletingRounds(path: string, rounds: number, links: number): Promise<number> {
  let deletions = 0;
  for (let round = 1; round <= rounds; round++) {
    const lines = await live(path, Math.random() * 600, DELETING, String(links));
    const deleted = new Set(lines.flatMap((line) => (line.startsWith('deleted ') ? line.slice(8) : [])));
    deletions += deleted.size;
    const made = lines.flatMap((line) => (line.startsWith('made ') ? line.slice(5) : []));
    const graph = await openSqliteGraph({ path });
    await graph.read(async (tx) => {
      const hubs = (await tx.find({ kind: 'nodes', types: ['Hub'] })).map(({ id }) => id);
      for (const id of deleted) expect(hubs, 'an acknowledged deletion is lost').not.toContain(id);
      // But for the last one, whose deletion may have been written.
      for (const id of made.slice(0, -1)) expect(deleted.has(id), 'it was deleted before the next was made').toBe(true);
      for (const id of hubs)
        expect((await tx.count({ kind: 'relationships', sourceId: id })).count, 'half of a hub is left').toBe(links);
      expect((await tx.count({ kind: 'relationships', types: ['HAS'] })).count).toBe(hubs.length * links);
    });
    await graph.close();
    for await (const { message } of checkSqliteGraph(path, () => undefined)) expect.fail(message);
  }
  return deletions;
}
