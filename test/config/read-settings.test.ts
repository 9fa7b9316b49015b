import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeSetting, settingNames } from '../../src/main/config/index.js';

const SOURCE = join(import.meta.dirname, '../../src');

/** All of the source but the tables of settings themselves. */
const code = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith(join('main', 'config', 'settings')))
  .map((file) => readFileSync(join(SOURCE, file), 'utf8'))
  .join('\n');

/** A setting is read where its name stands in quotes, with `${id}` for what has the same settings many times. */
const isRead = (name: string): boolean =>
  code.includes(`'${name}'`) || code.includes(`\`${name.replace(/^oauth\.\w+\./, 'oauth.${id}.')}\``);

/** With one value to choose from there is nothing to read. */
const hasOneValue = (name: (typeof settingNames)[number]): boolean => {
  const setting = describeSetting(name);
  return setting.type === 'choice' && setting.options.length === 1;
};

it('says `notRead: true` of every setting that nothing reads, or it would be ignored in silence', () => {
  const silent = settingNames.filter((name) => describeSetting(name).notRead !== true && !hasOneValue(name));
  expect(silent.filter((name) => !isRead(name))).toEqual([]);
});

it('does not say `notRead: true` of a setting that is read', () => {
  expect(settingNames.filter((name) => describeSetting(name).notRead === true && isRead(name))).toEqual([]);
});
