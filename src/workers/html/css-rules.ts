/** Takes a style sheet apart into its rules, on a thread (`scripting/functions/pages/css.ts`). */
import { outcomeOf, type Outcome } from '../outcome.js';

export interface CssRulesJob {
  readonly css: string;
  /** Rules, selectors and declarations together; levels of rules. */
  readonly most: number;
  readonly deepest: number;
}

export interface CssRule {
  /** All of it, with what is in it. */
  readonly text: string;
  /** As in the object model of browsers: 1 is a rule with selectors, 4 is `@media`. */
  readonly kind: number;
  readonly selectors: readonly string[];
  readonly declarations: readonly string[];
  readonly rules: readonly CssRule[];
}

const KINDS: Readonly<Record<string, number>> = {
  charset: 2,
  import: 3,
  media: 4,
  'font-face': 5,
  page: 6,
  keyframes: 7,
  namespace: 10,
  'counter-style': 11,
  supports: 12,
};
const STYLE = 1;
const KEYFRAME = 8;
/** At-rules that other rules are in. */
const GROUPS = /^(?:-\w+-)?(?:media|supports|keyframes|layer|container|document|scope|starting-style)$/;

export default function rules({ css, most, deepest }: CssRulesJob): Promise<Outcome<readonly CssRule[]>> {
  return outcomeOf(() => {
    const budget = { left: most };
    return rulesIn(withoutComments(css), 1, deepest, budget, STYLE, most);
  });
}

interface Budget {
  left: number;
}

function rulesIn(css: string, level: number, deepest: number, budget: Budget, plain: number, most: number): CssRule[] {
  if (level > deepest) throw new Error(`its rules are more than ${String(deepest)} levels deep`);
  return blocksIn(css).map(({ head, body }) => {
    const at = /^@([\w-]+)/.exec(head)?.[1]?.toLowerCase();
    const text = body === undefined ? `${head};` : `${head} { ${body.trim()} }`;
    const isGroup = at !== undefined && GROUPS.test(at);
    const isKeyframes = at?.endsWith('keyframes') === true;
    const selectors = at === undefined ? split(head, ',') : [];
    const declarations = body === undefined || isGroup ? [] : split(body, ';');
    budget.left -= 1 + selectors.length + declarations.length;
    if (budget.left < 0) throw new Error(`it has more than ${String(most)} rules, selectors and declarations`);
    return {
      ...{ text, selectors, declarations },
      kind: at === undefined ? plain : (KINDS[at.replace(/^-\w+-/, '')] ?? 0),
      rules:
        isGroup && body !== undefined
          ? rulesIn(body, level + 1, deepest, budget, isKeyframes ? KEYFRAME : STYLE, most)
          : [],
    };
  });
}

/** Blanks stand for comments, but not for what only looks like one within a text. */
function withoutComments(css: string): string {
  return css.replace(
    /("(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*')|\/\*[^]*?(?:\*\/|$)/g,
    (_all, text?: string) => text ?? ' ',
  );
}

/** What stands before blocks, or ends with a semicolon without one. */
function blocksIn(css: string): { readonly head: string; readonly body?: string }[] {
  const blocks: { head: string; body?: string }[] = [];
  let begin = 0;
  let open = 0;
  let depth = 0;
  const add = (head: string, body?: string): void => {
    const trimmed = head.trim().replace(/\s+/g, ' ');
    if (trimmed !== '') blocks.push(body === undefined ? { head: trimmed } : { head: trimmed, body });
  };
  for (const [at, sign] of signsIn(css, '{};')) {
    if (sign === '{') {
      if (depth++ === 0) open = at;
    } else if (sign === '}') {
      if (depth > 0 && --depth === 0) add(css.slice(begin, open), css.slice(open + 1, at));
      if (depth === 0) begin = at + 1;
    } else if (depth === 0) {
      add(css.slice(begin, at));
      begin = at + 1;
    }
  }
  // Browsers close what is open at the end.
  if (depth > 0) add(css.slice(begin, open), css.slice(open + 1));
  else if (css.slice(begin).trim().startsWith('@')) add(css.slice(begin));
  return blocks;
}

function split(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let begin = 0;
  for (const [at] of signsIn(text, separator)) {
    parts.push(text.slice(begin, at));
    begin = at + 1;
  }
  parts.push(text.slice(begin));
  return parts.map((one) => one.trim()).filter((one) => one !== '');
}

/** Signs that are in no text and in no brackets. */
function* signsIn(text: string, signs: string): Generator<readonly [at: number, sign: string]> {
  let quote = '';
  let brackets = 0;
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at);
    if (one === '\\') at++;
    else if (quote !== '') {
      // A text ends at the end of its line.
      if (one === quote || one === '\n') quote = '';
    } else if (one === '"' || one === "'") quote = one;
    else if (one === '(' || one === '[') brackets++;
    else if (one === ')' || one === ']') brackets = Math.max(0, brackets - 1);
    else if ((brackets === 0 || one === '{' || one === '}') && signs.includes(one)) {
      if (one === '{' || one === '}') brackets = 0;
      yield [at, one];
    }
  }
}
