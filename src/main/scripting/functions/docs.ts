/** The text of `docs/functions.md`, made of the entries of the functions. */
import type { ScriptFunction } from '../run/function/function.js';
import { catalogue } from './catalogue.js';
import { categories, functionNamed } from './table.js';

/** Functions of all categories of one title, in the order of the table; what is hidden is left out. */
function byTitle(): ReadonlyMap<string, readonly ScriptFunction[]> {
  const found = new Map<string, readonly ScriptFunction[]>();
  for (const { title, functions } of categories) {
    const shown = functions.filter((one) => one.hidden !== true);
    found.set(title, [...(found.get(title) ?? []), ...shown]);
  }
  return found;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function entry(one: ScriptFunction): string[] {
  const since = one.since === undefined ? '' : ` Since ${one.since}.`;
  return [
    `### ${one.name}`,
    '',
    `\`${one.signature}\``,
    '',
    `${one.meaning}${since}`,
    '',
    '```',
    one.example,
    '```',
    '',
  ];
}

/** What headings are called in links, in their order: of equal ones (`get`, `GET`) the later have a number. */
class Anchors {
  private readonly seen = new Map<string, number>();

  next(heading: string): string {
    const plain = heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    const count = this.seen.get(plain) ?? 0;
    this.seen.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${String(count)}`;
  }
}

/** Names of the catalogue that the library does not have, by section. */
export function missingFunctions(): readonly { readonly title: string; readonly names: readonly string[] }[] {
  return catalogue
    .map(({ section, title, names }) => ({
      title: `${section} ${title}`,
      names: names.filter((name) => functionNamed(name)?.name !== name),
    }))
    .filter(({ names }) => names.length > 0);
}

/** Markdown: all functions by category, then those that are missing. */
export function functionDocs(): string {
  const groups = [...byTitle()];
  const count = groups.reduce((sum, [, functions]) => sum + functions.length, 0);
  const missing = missingFunctions();
  const lines = [
    '# Functions',
    '',
    `The ${String(count)} functions that scripts can call. Expressions write \`\${upper('a')}\`, JavaScript \`$.upper('a')\`; names`,
    'may be written in snake_case too. A call with too few or too many arguments answers how the function is used. Examples are',
    'expressions, with the text of their results behind `//`.',
    '',
    'Written from the entries in `src/main/scripting/functions/` by',
    '`node dist/src/main/scripting/functions/write-docs.js docs/functions.md`: do not edit.',
    '',
  ];
  const anchors = new Anchors();
  anchors.next('Functions');
  for (const [title, functions] of groups) {
    anchors.next(title);
    const links = functions.map(({ name }) => `[${name}](#${anchors.next(name)})`);
    lines.push(`- ${title}: ${links.join(', ')}`);
  }
  lines.push('');
  for (const [title, functions] of groups) lines.push(`## ${title}`, '', ...functions.flatMap(entry));
  lines.push('## Missing', '');
  if (missing.length === 0) lines.push('Nothing of the interface is missing.');
  else {
    lines.push(
      'Functions of the interface that this version does not have.',
      '',
      '| section | functions |',
      '| --- | --- |',
    );
    for (const { title, names } of missing) lines.push(`| ${cell(title)} | ${names.join(', ')} |`);
  }
  return `${lines.join('\n')}\n`;
}
