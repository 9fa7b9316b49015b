/** Instructions in comments: `<!-- @svc:public, @svc:name(x) -->` (docs/interface/pages.md 8.2). */
import { unescapeHtml } from '../../scripting/index.js';

export interface Instruction {
  readonly name: string;
  /** What stands in parentheses behind it; empty: nothing. */
  readonly value: string;
}

const PREFIX = '@svc:';
/** Those that there are, with whether they have a value. */
const KNOWN: ReadonlyMap<string, boolean> = new Map([
  ...['public', 'public-only', 'protected', 'private', 'hidden'].map((name) => [name, false] as const),
  ...['link', 'pagelink', 'content', 'name', 'show', 'hide', 'show-for-locales', 'hide-for-locales'].map(
    (name) => [name, true] as const,
  ),
  ...['owner', 'grant'].map((name) => [name, true] as const),
]);

/** Undefined: the comment holds none. `warn`: told of what is none; the rest of such a comment is left out. */
export function instructionsIn(comment: string, warn: (problem: string) => void): Instruction[] | undefined {
  if (!comment.toLowerCase().includes(PREFIX)) return undefined;
  const found: Instruction[] = [];
  let at = 0;
  for (;;) {
    at += /^[\s,;]*/.exec(comment.slice(at))?.[0].length ?? 0;
    if (at >= comment.length) return found;
    const [word = ''] = /^[^\s,;()]*/.exec(comment.slice(at)) ?? [];
    const name = word.toLowerCase().startsWith(PREFIX) ? word.slice(PREFIX.length).toLowerCase() : undefined;
    const takesValue = name === undefined ? undefined : KNOWN.get(name);
    if (name === undefined || takesValue === undefined) {
      warn(`'${comment.slice(at, at + 60).trim()}' is no instruction`);
      return found;
    }
    at += word.length;
    let value = '';
    if (comment[at] === '(') {
      const end = closing(comment, at);
      if (end === undefined) {
        warn(`the parenthesis behind ${word} is not closed`);
        return found;
      }
      value = unescapeHtml(comment.slice(at + 1, end));
      at = end + 1;
    }
    if (takesValue && value === '') warn(`${word} needs a value`);
    else found.push({ name, value });
  }
}

/** The parenthesis that closes the one at a place. */
function closing(text: string, from: number): number | undefined {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return undefined;
}
