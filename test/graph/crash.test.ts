import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crashRounds } from './crash-rounds.js';

test('four kills under load lose nothing that was acknowledged', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-crash-'));
  try {
    expect(await crashRounds(path, 4, 2)).toBeGreaterThan(0);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});
