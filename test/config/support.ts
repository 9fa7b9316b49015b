import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { Config, ConfigError, type Problem } from '../../src/main/config/index.js';

/** A folder of its own for each test, with the path of a settings file in it. */
export function useFolder(): { readonly folder: string; readonly confPath: string } {
  const place = { folder: '', confPath: '' };
  beforeEach(async () => {
    place.folder = await mkdtemp(join(tmpdir(), 'svc-config-'));
    place.confPath = join(place.folder, 'svc.conf');
  });
  afterEach(async () => {
    await rm(place.folder, { recursive: true, force: true });
  });
  return place;
}

/** Loads a settings file with this text and an environment that has nothing else in it. */
export async function load(confPath: string, text: string, env: Record<string, string> = {}): Promise<Config> {
  await writeFile(confPath, text, { mode: 0o600 });
  return Config.load({ confPath, env });
}

/** What a failed call says is wrong. */
export async function problemsOf(work: () => Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('there was no error');
}
