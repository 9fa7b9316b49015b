/** Makes a tree of an expression (docs/interface/scripting.md 2.2). */
import { camelCase } from '../camel-case.js';
import type { Call, Expression, Literal, Member, Path, Script } from './ast.js';
import { blockNamed } from './block-table.js';
import { syntaxError, tokensOf, type Mark, type Token } from './lexer.js';

/** Brackets within brackets. */
const DEEPEST = 250;
/** Functions whose arguments may be predicates (docs/interface/scripting.md 2.3). */
const FINDING: ReadonlySet<string> = new Set(['find', 'search', 'findPrivileged']);
const LITERALS: ReadonlyMap<string, null | boolean> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
]);
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** Throws `ScriptSyntaxError`. Takes time proportional to the length of the source. */
export function parseExpression(source: string): Script {
  return new Parser(source).script();
}

class Parser {
  private readonly tokens: readonly Token[];
  private readonly stopped: number | undefined;
  private refused: Script['refused'];
  private next = 0;
  private depth = 0;
  /** How many calls of `FINDING` the current place is inside of. */
  private finding = 0;

  constructor(private readonly source: string) {
    ({ tokens: this.tokens, stopped: this.stopped } = tokensOf(source));
  }

  script(): Script {
    const items: Expression[] = [];
    for (let token = this.peek(); token !== undefined; token = this.peek()) {
      if (this.skipSeparator(token)) continue;
      const last = items.at(-1);
      // Behind the first item everything that can be is applied to it, separated or not.
      const postfix = last === undefined ? undefined : this.postfix(last, token, true);
      if (postfix === undefined) items.push(this.item(token));
      else items[items.length - 1] = postfix;
    }
    return { items, stopped: this.stopped, refused: this.refused };
  }

  /** Index behind the token that was read last. */
  private get end(): number {
    return this.tokens[this.next - 1]?.end ?? 0;
  }

  private peek(): Token | undefined {
    return this.tokens[this.next];
  }

  private skipSeparator(token: Token): boolean {
    if (token.kind !== 'mark' || (token.text !== ',' && token.text !== ';')) return false;
    this.next++;
    return true;
  }

  /** An item of its own, without what may be behind it. */
  private item(token: Token): Expression {
    this.next++;
    const { at, text } = token;
    switch (token.kind) {
      case 'text':
        return { kind: 'literal', value: text, at, end: token.end };
      case 'number':
        return this.number(token);
      case 'name':
        return text.startsWith('.') ? this.dotted(null, token) : this.named(token);
      case 'mark':
        if (token.text === '(') return { kind: 'group', items: this.items(')', at), at, end: this.end };
        if (token.text === '[') return { kind: 'index', of: null, index: this.index(at), at, end: this.end };
        throw syntaxError(`There is nothing that this ${text} closes`, this.source, at);
    }
  }

  private number({ text, at, end }: Token): Literal {
    if (!NUMBER.test(text)) throw syntaxError(`${shortened(text)} is no number`, this.source, at);
    return { kind: 'literal', value: Number(text), written: text, at, end };
  }

  /** A path, a literal word, or a call, by what follows. */
  private named({ text, at, end }: Token): Expression {
    const { parts, otherwise } = this.partsOf(text, at);
    const open = this.opening();
    if (open === undefined) {
      const literal = LITERALS.get(text);
      return literal === undefined ? path(parts, otherwise, at, end) : { kind: 'literal', value: literal, at, end };
    }
    this.checkCallable(text, otherwise, at);
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return this.call(only, open, at);
    const target = path(parts.slice(0, -1), undefined, at, end - (parts.at(-1)?.length ?? 0));
    return this.method(target, parts, open, at);
  }

  private call(name: string, open: number, at: number): Call {
    const inFind = this.finding > 0;
    const finding = FINDING.has(camelCase(name)) ? 1 : 0;
    this.finding += finding;
    const args = this.items(')', open);
    this.finding -= finding;
    if (name === 'slice') {
      this.refuse('The slice() function is not supported any more, use find() with page() in its place', at);
    }
    const problem = blockNamed(name, inFind)?.refusal(args.length);
    if (problem !== undefined) this.refuse(problem, at);
    return { kind: 'call', name, args, inFind, at, end: this.end };
  }

  private method(of: Expression | null, parts: readonly string[], open: number, at: number): Expression {
    const args = this.items(')', open);
    return { kind: 'method', of, name: parts.at(-1) ?? '', args, at, end: this.end };
  }

  /** `.name`, `.name!default` or `.name(...)` */
  private dotted(of: Expression | null, { text, at, end }: Token): Expression {
    const { parts, otherwise } = this.partsOf(text, at);
    const open = this.opening();
    if (open === undefined) return member(of, parts, otherwise, at, end);
    this.checkCallable(text, otherwise, at);
    const target =
      parts.length === 1 ? of : member(of, parts.slice(0, -1), undefined, at, end - (parts.at(-1)?.length ?? 0));
    return this.method(target, parts, open, at);
  }

  private checkCallable(text: string, otherwise: string | undefined, at: number): void {
    if (otherwise !== undefined) throw syntaxError(`${shortened(text)} cannot be called`, this.source, at);
  }

  private partsOf(text: string, at: number): { readonly parts: readonly string[]; readonly otherwise?: string } {
    const mark = text.indexOf('!');
    const parts = (mark === -1 ? text : text.slice(0, mark)).split('.').filter((part) => part !== '');
    if (parts.length === 0) throw syntaxError(`${shortened(text)} names nothing`, this.source, at);
    return mark === -1 ? { parts } : { parts, otherwise: text.slice(mark + 1) };
  }

  /** Reads an opening bracket, and answers where it is. */
  private opening(): number | undefined {
    const token = this.peek();
    if (token?.kind !== 'mark' || token.text !== '(') return undefined;
    this.next++;
    return token.at;
  }

  /** What follows applies to what was read; undefined: it does not. An index does at the top alone. */
  private postfix(item: Expression, token: Token, atTop: boolean): Expression | undefined {
    if (token.kind === 'name' && token.text.startsWith('.')) {
      this.next++;
      return this.dotted(item, token);
    }
    if (!atTop || token.kind !== 'mark' || token.text !== '[') return undefined;
    this.next++;
    return { kind: 'index', of: item, index: this.index(token.at), at: token.at, end: this.end };
  }

  /** Items up to the closing mark of what was opened at `open`. */
  private items(close: Mark, open: number): Expression[] {
    if (++this.depth > DEEPEST) throw syntaxError('Brackets are nested too deeply', this.source, open);
    const items: Expression[] = [];
    /** The item that what follows may apply to. */
    let last: Expression | undefined;
    for (let token = this.peek(); token !== undefined; token = this.peek()) {
      if (this.skipSeparator(token)) {
        last = undefined;
        continue;
      }
      if (token.kind === 'mark' && token.text === close) {
        this.next++;
        this.depth--;
        return items;
      }
      const postfix = last === undefined ? undefined : this.postfix(last, token, false);
      if (postfix !== undefined) items.pop();
      last = postfix ?? this.item(token);
      items.push(last);
    }
    if (this.stopped !== undefined) {
      const char = String.fromCodePoint(this.source.codePointAt(this.stopped) ?? 0);
      throw syntaxError(`${char} cannot stand in an expression`, this.source, this.stopped);
    }
    throw syntaxError(`The bracket that opens here has no ${close}`, this.source, open);
  }

  private index(open: number): Expression {
    const [index, ...others] = this.items(']', open);
    if (index === undefined || others.length > 0) {
      this.refuse('Exactly one expression has to stand between [ and ]', open);
    }
    return index ?? { kind: 'literal', value: null, at: open, end: open + 1 };
  }

  private refuse(message: string, at: number): void {
    this.refused ??= { at, message };
  }
}

function path(parts: readonly string[], otherwise: string | undefined, at: number, end: number): Path {
  return { kind: 'path', parts, at, end, ...(otherwise === undefined ? {} : { otherwise }) };
}

/** `a .b` is `a.b`. */
function member(
  of: Expression | null,
  parts: readonly string[],
  otherwise: string | undefined,
  at: number,
  end: number,
): Member | Path {
  if (of?.kind === 'path' && of.otherwise === undefined) return path([...of.parts, ...parts], otherwise, of.at, end);
  return { kind: 'member', of, parts, at, end, ...(otherwise === undefined ? {} : { otherwise }) };
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
