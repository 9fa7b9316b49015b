/** Trees of users' JavaScript, read on the loop: for analyses, and for scripts that import modules. */
import { Parser, type AnyNode, type Options, type Program } from 'acorn';
import { ScriptSyntaxError } from '../../../language/errors.js';

/** Characters: a source of this length is read in some 50 ms. */
export const LONGEST_SOURCE = 500_000;

const OPTIONS: Options = {
  ecmaVersion: 'latest',
  // Scripts are strict, as modules are.
  sourceType: 'module',
  // The top of a script is inside of its braces, and may be that of a function.
  allowImportExportEverywhere: true,
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
};

/** Statements and operands within others: some 500 expressions in brackets, or 200 functions, take less than half of the stack. */
const DEEPEST = 1000;

type Parse = (this: Parser, ...args: readonly unknown[]) => unknown;
/** What the parser calls for each statement, expression and operand, which its types do not have. */
const { parseStatement, parseMaybeAssign, parseMaybeUnary } = Parser.prototype as unknown as Readonly<
  Record<'parseStatement' | 'parseMaybeAssign' | 'parseMaybeUnary', Parse>
>;

/**
 * Looks for no name that is declared twice: it would compare each with all others, and V8 does it when the script runs. What is nested too
 * deeply is refused before the stack ends: a regular expression that V8 compiles there, as it does with those of the parser, ends the process.
 */
class QuickParser extends Parser {
  #depth = 0;

  protected parseStatement(...args: readonly unknown[]): unknown {
    return this.#deeper(parseStatement, args);
  }
  protected parseMaybeAssign(...args: readonly unknown[]): unknown {
    return this.#deeper(parseMaybeAssign, args);
  }
  protected parseMaybeUnary(...args: readonly unknown[]): unknown {
    return this.#deeper(parseMaybeUnary, args);
  }
  /** What throws ends the parser, too. */
  #deeper(parse: Parse, args: readonly unknown[]): unknown {
    if (++this.#depth > DEEPEST) throw new RangeError('nested too deeply');
    const node = parse.apply(this, args as unknown[]);
    this.#depth--;
    return node;
  }
  protected declareName(): void {
    // Nothing is remembered.
  }
  protected checkLocalExport(): void {
    // As nothing is.
  }
}

/**
 * Reads JavaScript: the inside of a script's braces (the braces may be there, as a block), or a module. Throws
 * `ScriptSyntaxError`, also for what is too long or nested too deeply.
 */
export function parseJavaScript(source: string): Program {
  if (source.length > LONGEST_SOURCE) {
    throw new ScriptSyntaxError(`The script has more than ${String(LONGEST_SOURCE)} characters`, {
      line: 1,
      column: 1,
    });
  }
  return readable(() => QuickParser.parse(source, OPTIONS));
}

/** Trees are walked by functions that call themselves: what is nested too deeply for them cannot be read. */
export function readable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) {
      throw new ScriptSyntaxError('The script is nested too deeply', { line: 1, column: 1 });
    }
    if (!(error instanceof SyntaxError)) throw error;
    const { loc } = error as SyntaxError & { readonly loc?: { readonly line: number; readonly column: number } };
    const position = { line: loc?.line ?? 1, column: (loc?.column ?? 0) + 1 };
    throw new ScriptSyntaxError(error.message.replace(/ \(\d+:\d+\)$/, ''), position);
  }
}

/** The name of a key that can be seen: `a.b`, `a['b']`; undefined: only the running script knows it. */
export function keyOf(node: AnyNode, isComputed: boolean): string | undefined {
  if (node.type === 'Identifier') return isComputed ? undefined : node.name;
  if (node.type === 'PrivateIdentifier') return undefined;
  return textOfNode(node);
}

/** The text that a node is for sure. */
export function textOfNode(node: AnyNode): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}
