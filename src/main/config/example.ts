import { describeSetting, settingNames, type SettingName } from './catalogue.js';
import { formatEntry } from './conf-file.js';
import type { Grouped } from './setting.js';
import { toEnvironmentName } from './environment.js';
import { formatValue } from './values.js';

const WIDTH = 100;

/** The text of `svc.conf.example`: every setting with its default, commented out, in the groups of the catalogue. */
export function exampleConf(): string {
  const byGroup = new Map<string, SettingName[]>();
  for (const name of settingNames) {
    const setting = describeSetting(name);
    if (setting.hidden === true) continue;
    const names = byGroup.get(setting.group) ?? [];
    byGroup.set(setting.group, [...names, name]);
  }
  const lines = [
    '# Every setting of svc with its default. A settings file (svc.conf) needs only those that differ.',
    '#',
    '# One setting per line: name = value. Lines that begin with # are comments. Relative paths count from the folder',
    '# of the file. Only its owner may be able to read it (mode 0600), for it holds passwords.',
    '#',
    '# Each setting can be given by an environment variable too, which goes before the file: double every underscore,',
    `# turn every dot into an underscore, put SVC_ before it: ${toEnvironmentName('application.heap.min_size')}.`,
    '#',
    '# Written from the catalogue of settings by `npm run settings:example`: do not edit.',
  ];
  for (const [group, names] of byGroup) {
    lines.push('', `## ${group}`);
    for (const name of names) lines.push('', ...describe(name, describeSetting(name)));
  }
  return `${lines.join('\n')}\n`;
}

function describe(name: SettingName, setting: Grouped): string[] {
  const facts: string[] = [];
  if (setting.type === 'choice') facts.push(`one of ${setting.options.filter((option) => option !== '').join(', ')}`);
  if (setting.type === 'boolean') facts.push('true or false');
  if (setting.type === 'integer') facts.push(range(setting.min, setting.max));
  if (setting.restart === true) facts.push('counts from the next start');
  if (setting.notRead === true) facts.push('not read yet');
  const known = facts.filter((fact) => fact !== '');
  const text = known.length === 0 ? `${setting.text}.` : `${setting.text} (${known.join('; ')}).`;
  return [...wrap(text).map((line) => `# ${line}`), `# ${formatEntry(name, formatValue(setting.default))}`];
}

function range(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return `${String(min)} to ${String(max)}`;
  if (min !== undefined) return `at least ${String(min)}`;
  return max === undefined ? '' : `at most ${String(max)}`;
}

/** Lines of at most `WIDTH` characters, broken at spaces. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
