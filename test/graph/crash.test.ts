import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crashRounds, deletingRounds } from './crash-rounds.js';

test('four kills under load lose nothing that was acknowledged', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  try {
    expect(await crashRounds(path, 4, 2)).toBeGreaterThan(0);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});

test('two kills while hubs are deleted leave each whole or gone', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  try {
    await deletingRounds(path, 2, 400);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});
