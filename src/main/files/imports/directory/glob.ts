/** Patterns for one name: `*`, `?`, `[a-z]`, `[!a-z]`, `{one,other}`, and a backslash before what means itself. */
import { FilesError } from '../../errors.js';

/** Patterns that braces may come to. */
const MOST = 100;
const LONGEST = 500;

type Token = '*' | ((character: string) => boolean);

/** Whether the pattern is just a name; undefined: it is not. */
export function literalName(pattern: string): string | undefined {
  return /^(?:[^*?[\]{}\\]|\\.)*$/s.test(pattern) ? pattern.replace(/\\(.)/gs, '$1') : undefined;
}

/** What says whether a name fits. Throws `FilesError` 422 for a pattern that makes no sense. */
export function globMatcher(pattern: string): (name: string) => boolean {
  if (pattern.length > LONGEST) throw new FilesError(422, 'The pattern is too long.');
  const alternatives = expanded(pattern).map(tokensOf);
  return (name) => alternatives.some((tokens) => matches(tokens, [...name]));
}

/** Braces written out; they are not nested. */
function expanded(pattern: string): string[] {
  const match = /^((?:[^\\{}]|\\.)*)\{((?:[^\\{}]|\\.)*)\}(.*)$/s.exec(pattern);
  if (match === null) return [pattern];
  const [, before = '', within = '', after = ''] = match;
  const rest = expanded(after);
  const all = within.split(/(?<!\\),/).flatMap((one) => rest.map((end) => before + one + end));
  if (all.length > MOST) throw new FilesError(422, 'The pattern has too many alternatives.');
  return all;
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? '';
    if (character === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (character === '?') tokens.push(() => true);
    else if (character === '[') {
      const end = characters.indexOf(']', characters[i + 1] === '!' ? i + 3 : i + 2);
      if (end < 0) throw new FilesError(422, 'The pattern has a "[" without its "]".');
      tokens.push(classOf(characters.slice(i + 1, end)));
      i = end;
    } else {
      const plain = character === '\\' ? (characters[++i] ?? '\\') : character;
      tokens.push((one) => one === plain);
    }
  }
  return tokens;
}

function classOf(characters: readonly string[]): (character: string) => boolean {
  const isNot = characters[0] === '!';
  const members = isNot ? characters.slice(1) : characters;
  const ranges: [string, string][] = [];
  for (let i = 0; i < members.length; i++) {
    const from = members[i] ?? '';
    const to = members[i + 1] === '-' && i + 2 < members.length ? (members[i + 2] ?? from) : from;
    if (members[i + 1] === '-' && i + 2 < members.length) i += 2;
    ranges.push([from, to]);
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to) !== isNot;
}

/** Goes back to the last star alone, so that no pattern takes longer than name times pattern. */
function matches(tokens: readonly Token[], name: readonly string[]): boolean {
  let [t, n, star, from] = [0, 0, -1, 0];
  while (n < name.length) {
    const token = tokens[t];
    if (token === '*') {
      star = t++;
      from = n;
    } else if (token?.(name[n] ?? '') === true) {
      t++;
      n++;
    } else if (star >= 0) {
      t = star + 1;
      n = ++from;
    } else return false;
  }
  while (tokens[t] === '*') t++;
  return t === tokens.length;
}
