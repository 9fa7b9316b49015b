/** A conversion to a newer format of the file that is ended at any point. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkSqliteGraph, newId, openSqliteGraph } from '../../src/main/graph/index.js';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { inFormat6 } from '../graph/older-format.js';

const OBJECTS = 20_000;
const ROUNDS = 12;
const module = join(import.meta.dirname, '../../dist/src/main/graph/index.js');
const code = `const {openSqliteGraph} = await import(${JSON.stringify(module)}); console.log('begun');
  const graph = await openSqliteGraph({path: process.argv[1]}); console.log('opened'); await graph.close();`;

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'svc-conversion-'));
});
afterEach(() => {
  rmSync(path, { recursive: true, force: true });
});

/** Opens the database in a process of its own, which is killed some time after it has begun; how long it took, if it was not. */
function opened(killAfter?: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code, path], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let began = 0;
    let done: number | undefined;
    child.stdout.on('data', (data: Buffer) => {
      if (data.includes('begun')) {
        began = performance.now();
        if (killAfter !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfter);
      }
      if (data.includes('opened')) done = performance.now() - began;
    });
    child.on('close', () => {
      resolve(done);
    });
  });
}

async function contents(): Promise<unknown> {
  const graph = await openSqliteGraph({ path });
  try {
    return await graph.read(async (tx) => [await tx.find({ kind: 'nodes' }), await tx.find({ kind: 'relationships' })]);
  } finally {
    await graph.close();
  }
}

test('leaves the database as it was, or converted', async () => {
  const graph = await openSqliteGraph({ path });
  const user = newId();
  const stamps = { createdDate: 1795707020331, createdBy: user, lastModifiedDate: 1795707020331, lastModifiedBy: user };
  await graph.write((tx) => tx.createNode({ id: user, type: 'User', properties: {} }));
  for (let at = 0; at < OBJECTS; at += 1000) {
    await graph.write(async (tx) => {
      for (let i = at; i < at + 1000; i++) {
        const id = newId();
        await tx.createNode({ id, type: 'Thing', properties: { name: `thing ${String(i)}`, ...stamps } });
        const ends = { relType: 'OWNS', sourceId: user, targetId: id };
        await tx.createRelationship({ id: newId(), type: 'Owns', ...ends, properties: { createdDate: i + 1e12 } });
      }
    });
  }
  await graph.close();
  const before = await contents();
  const file = join(path, 'graph.db');
  const older = (): void => {
    const db = new Library(file);
    inFormat6(db);
    db.close();
  };
  older();
  const whole = (await opened()) ?? 0;
  expect(whole).toBeGreaterThan(0);
  let killed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const db = new Library(file);
    if (db.pragma('user_version', { simple: true }) === 8) inFormat6(db);
    db.close();
    if ((await opened((whole * (round + 1)) / ROUNDS)) === undefined) killed++;
    const found = new Library(file, { readonly: true });
    expect(found.prepare('SELECT count(*) FROM node').pluck().get()).toBe(OBJECTS + 1);
    expect(found.prepare('SELECT count(*) FROM rel').pluck().get()).toBe(OBJECTS);
    found.close();
  }
  expect(killed).toBeGreaterThan(ROUNDS / 3);
  expect(await contents()).toEqual(before);
  for await (const { message } of checkSqliteGraph(path, () => undefined)) expect.fail(message);
});
