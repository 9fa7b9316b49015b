import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fromEnvironmentName, NOT_SETTINGS } from '../../src/main/config/environment.js';
import { settingNames } from '../../src/main/config/index.js';

it('compose.yaml names only settings that there are', () => {
  const text = readFileSync(join(import.meta.dirname, '../../compose.yaml'), 'utf8');
  const variables = [...text.matchAll(/^ +(SVC_\w+):/gm)].map((match) => match[1] ?? '');
  expect(variables.length).toBeGreaterThan(3);
  const known: readonly string[] = settingNames;
  const unknown = variables.filter(
    (name) => !NOT_SETTINGS.has(name) && !known.includes(fromEnvironmentName(name) ?? ''),
  );
  expect(unknown).toEqual([]);
});
