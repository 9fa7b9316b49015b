/** Test files run beside each other, but a Neo4j is one database that tests empty. */
import { createHash } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { neo4jUrl } from '../graph/neo4j.js';

const PAUSE = 100;
const PATIENCE = 900_000;

/**
 * Waits before the tests of this file (or of the `describe` that calls it) until no other process uses the database, and
 * keeps the others waiting until they are done. Call it before all other hooks.
 */
export function exclusive(): void {
  const name = createHash('sha256')
    .update(neo4jUrl ?? '')
    .digest('hex')
    .slice(0, 16);
  const file = join(tmpdir(), `svc-neo4j-${name}.lock`);
  beforeAll(async () => {
    do {
      while (!taken(file)) await sleep(PAUSE);
      // Of two that found the lock of a dead process, one may have removed the other's.
      await sleep(PAUSE);
    } while (!ours(file));
  }, PATIENCE);
  afterAll(() => {
    rmSync(file, { force: true });
  });
}

/** A link appears with its contents or not at all, and only where there is no file. */
function taken(file: string): boolean {
  const own = `${file}.${String(process.pid)}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch {
    if (!alive(file)) rmSync(file, { force: true });
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function ours(file: string): boolean {
  try {
    return readFileSync(file, 'utf8') === String(process.pid);
  } catch {
    return false;
  }
}

/** Whether the process that has the lock is still there. */
function alive(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch (error) {
    // ENOENT: it has just gone; EPERM: it is somebody else's.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
