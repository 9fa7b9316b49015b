import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crashRounds, deletingRounds } from '../graph/crash-rounds.js';

test('two hundred kills under load lose nothing that was acknowledged', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  try {
    expect(await crashRounds(path, 200, 5)).toBeGreaterThan(1000);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}, 1_800_000);

test('twenty kills while hubs are deleted leave each whole or gone', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  try {
    expect(await deletingRounds(path, 20, 3000)).toBeGreaterThan(5);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}, 1_800_000);
