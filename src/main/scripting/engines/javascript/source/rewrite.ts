/**
 * Scripts and modules that import others, as texts that can be evaluated as all scripts are: declarations of imports and exports are
 * taken out, and names that were imported are read from the namespaces of their modules whenever they are used (docs/interface/scripting.md 3.6).
 * Lines stay where they are.
 */
import type { AnyNode, Identifier, ModuleDeclaration, Program } from 'acorn';
import { ScriptError, ScriptSyntaxError } from '../../../language/errors.js';
import { SizedCache } from '../../../language/sized-cache.js';
import { edited, type Edit, type Edited, type Shift } from './edits.js';
import { bound, Names, type Reference } from './names.js';
import { parseJavaScript, readable } from './tree.js';
import { eachPart } from './walk.js';
import { awaitsAtTop, lastExpressions, mayAwait } from './top-level-await.js';

export interface Rewritten {
  readonly text: string;
  /** Of what is in `text` beside the source. */
  readonly shifts: readonly Shift[];
  /** It imports something, or may do so while it runs. */
  readonly isImporting: boolean;
  /**
   * Begins no name of the source. `<prefix>0`, ... are the namespaces, `<prefix>i` imports, `<prefix>m` is `import.meta`, `<prefix>w` is told what is
   * thrown that has no stack.
   */
  readonly prefix: string;
  /** What is imported, in order; the place says where. */
  readonly imports: readonly ImportedModule[];
  /** Names that are exported, with the expressions that are their values. */
  readonly exports: ReadonlyMap<string, string>;
  /**
   * Its top waits, so that it has to be the inside of an async function. Of a script the value is in `<prefix>v` then, which is to be
   * declared in front of it.
   */
  readonly awaits: boolean;
  /** Of which of `imports` all names are exported, each once. */
  readonly stars: readonly number[];
}

export interface ImportedModule {
  readonly specifier: string;
  /** Names that it has to have, with the line of each. */
  readonly names: Map<string, number>;
}

export const MOST_MODULES = 200;
/** Characters of all modules of a run, and of one that is rewritten: a long name may be used often. */
export const MOST_TEXT = 2 * 1024 * 1024;
const MOST_KEPT = 4 * 1024 * 1024;
const known = new SizedCache<Rewritten>(MOST_KEPT);

/** Whether a source may import something: others need not be looked at. */
export function mayImport(source: string): boolean {
  return /\bimport\b/.test(source);
}

/** Whether a source may throw something that is no new error, and so has no stack that tells where. */
export function mayThrowOthers(source: string): boolean {
  return source.includes('throw') && /\bthrow\b(?!\s*new\b)/.test(source);
}

/** Throws `ScriptSyntaxError`, and `ScriptError` 422 for what imports too much. `isModule`: its top is outside of all braces, and it may export. */
export function rewrite(source: string, isModule: boolean): Rewritten {
  const key = `${isModule ? 'm' : 's'}${source}`;
  let made = known.get(key);
  if (made === undefined) {
    const program = parseJavaScript(source);
    made = readable(() => new Rewriting(source, program, isModule).result());
    known.set(key, made);
  }
  return made;
}

export function tooMuch(most: string): ScriptError {
  return new ScriptError(422, `The script imports too much: at most ${most}.`);
}

/** Finds lines, which count from 1, in any order. */
export class LineTable {
  private readonly ends: number[] = [];

  constructor(source: string) {
    for (let end = source.indexOf('\n'); end !== -1; end = source.indexOf('\n', end + 1)) this.ends.push(end);
  }

  at(index: number): number {
    let low = 0;
    let high = this.ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.ends[middle] ?? index) < index) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}

/** The first of its kind that stands nowhere in the source. */
export function freePrefix(source: string): string {
  const taken = new Set<string | undefined>();
  for (const [, number] of source.matchAll(/_svc(\d+)(?=_)/g)) taken.add(number);
  let number = 0;
  while (taken.has(String(number))) number++;
  return `_svc${String(number)}_`;
}

class Rewriting {
  private readonly edits: Edit[] = [];
  private readonly imports: ImportedModule[] = [];
  private readonly indexes = new Map<string, number>();
  private readonly byLocal = new Map<string, string>();
  private readonly exports = new Map<string, string>();
  private readonly stars = new Set<number>();
  /** Where statements in lists begin: a bracket there would belong to the line before, when that has no semicolon. */
  private readonly begins = new Set<number>();
  private readonly prefix: string;
  private lineTable: LineTable | undefined;
  private importsLater = false;

  constructor(
    private readonly source: string,
    private readonly program: Program,
    private readonly isModule: boolean,
  ) {
    this.prefix = freePrefix(source);
  }

  result(): Rewritten {
    const { program, isModule, prefix, imports, exports, stars } = this;
    const [only] = program.body;
    const top = !isModule && program.body.length === 1 && only?.type === 'BlockStatement' ? only.body : program.body;
    const declarations = new Set<AnyNode>(top.filter((one) => isDeclaration(one)));
    for (const one of declarations) if (one.type === 'ImportDeclaration') this.import(one);
    if (isModule) for (const one of declarations) this.export(one as ModuleDeclaration);
    this.look(program, declarations);
    const awaits = mayAwait(this.source) && awaitsAtTop(program);
    if (awaits && !isModule) {
      for (const { start, end } of lastExpressions(program.body)) {
        // What is put in front of it ends what stands before.
        this.begins.delete(start);
        this.edits.push({ at: start, end: start, text: `${prefix}v=(` }, { at: end, end, text: ')' });
      }
    }
    if (this.byLocal.size > 0) for (const reference of new Names(program).references.values()) this.use(reference);
    const isImporting = imports.length > 0 || this.importsLater;
    return { ...this.edited(), isImporting, prefix, imports, exports, awaits, stars: [...stars] };
  }

  private module(specifier: unknown): { readonly index: number; readonly names: Map<string, number> } {
    const text = String(specifier);
    let index = this.indexes.get(text);
    if (index === undefined) {
      if (this.imports.length >= MOST_MODULES) throw tooMuch(`${String(MOST_MODULES)} modules`);
      index = this.imports.push({ specifier: text, names: new Map() }) - 1;
      this.indexes.set(text, index);
    }
    return { index, names: this.imports[index]?.names ?? new Map<string, number>() };
  }

  private import(node: Extract<AnyNode, { type: 'ImportDeclaration' }>): void {
    const { index, names } = this.module(node.source.value);
    const space = `${this.prefix}${String(index)}`;
    for (const one of node.specifiers) {
      if (one.type === 'ImportNamespaceSpecifier') this.byLocal.set(one.local.name, space);
      else {
        const name = one.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(one.imported);
        names.set(name, this.lineAt(one.start));
        this.byLocal.set(one.local.name, `${space}[${JSON.stringify(name)}]`);
      }
    }
    this.blank(node.start, node.end);
  }

  private export(node: ModuleDeclaration): void {
    if (node.type === 'ExportAllDeclaration') {
      const { index } = this.module(node.source.value);
      if (node.exported) this.exports.set(nameOf(node.exported), `${this.prefix}${String(index)}`);
      else this.stars.add(index);
      this.blank(node.start, node.end);
    } else if (node.type === 'ExportDefaultDeclaration') this.exportDefault(node);
    else if (node.type === 'ExportNamedDeclaration') this.exportNamed(node);
  }

  private exportNamed(node: Extract<AnyNode, { type: 'ExportNamedDeclaration' }>): void {
    const { declaration, source } = node;
    if (declaration) {
      const declared =
        declaration.type === 'VariableDeclaration'
          ? declaration.declarations.flatMap(({ id }) => bound(id).map(({ name }) => name))
          : [declaration.id.name];
      for (const name of declared) this.exports.set(name, name);
      this.blank(node.start, declaration.start);
      return;
    }
    const from = source ? this.module(source.value) : undefined;
    for (const one of node.specifiers) {
      const local = nameOf(one.local);
      if (from !== undefined) {
        from.names.set(local, this.lineAt(one.start));
        this.exports.set(nameOf(one.exported), `${this.prefix}${String(from.index)}[${JSON.stringify(local)}]`);
      } else this.exports.set(nameOf(one.exported), this.byLocal.get(local) ?? local);
    }
    this.blank(node.start, node.end);
  }

  private exportDefault(node: Extract<AnyNode, { type: 'ExportDefaultDeclaration' }>): void {
    const { declaration } = node;
    const isNamed =
      (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') &&
      declaration.id !== null;
    if (isNamed) {
      this.exports.set('default', declaration.id?.name ?? '');
      this.blank(node.start, declaration.start);
      return;
    }
    const name = `${this.prefix}d`;
    this.exports.set('default', name);
    this.edits.push({
      at: node.start,
      end: declaration.start,
      text: `const ${name} = ${this.lines(node.start, declaration.start)}`,
    });
    if (this.source[node.end - 1] !== ';') this.edits.push({ at: node.end, end: node.end, text: ';' });
  }

  /** A name that was imported is looked up in its module each time. */
  private use({ node, around: [parent], binding }: Reference): void {
    const value = this.byLocal.get(node.name);
    // What exports is taken out.
    if (
      value === undefined ||
      binding?.isImport !== true ||
      parent === undefined ||
      parent.type === 'ExportSpecifier'
    ) {
      return;
    }
    this.edits.push({ at: node.start, end: node.end, text: this.used(node, value, parent) });
  }

  private used(node: Identifier, value: string, parent: AnyNode): string {
    if (parent.type === 'Property' && parent.shorthand) return `${node.name}: ${value}`;
    const isCalled =
      (parent.type === 'CallExpression' && parent.callee === node) ||
      (parent.type === 'TaggedTemplateExpression' && parent.tag === node);
    if (!isCalled || !value.endsWith(']')) return value;
    // Its `this` is nothing, and not the module.
    return `${this.begins.has(node.start) ? ';' : ''}(0,${value})`;
  }

  private look(node: AnyNode, declarations: ReadonlySet<AnyNode>): void {
    if (isDeclaration(node) && !declarations.has(node)) {
      this.refuse(node.start, `${node.type === 'ImportDeclaration' ? 'import' : 'export'} stands at the top alone`);
    }
    if (!this.isModule && isDeclaration(node) && node.type !== 'ImportDeclaration') {
      this.refuse(node.start, 'Modules export, scripts do not');
    }
    const list =
      node.type === 'SwitchCase' ? node.consequent : 'body' in node && Array.isArray(node.body) ? node.body : [];
    for (const one of list) this.begins.add(one.start);
    if (node.type === 'ThrowStatement' && node.argument.type !== 'NewExpression') {
      const { start, end, type } = node.argument;
      // Of several expressions the last one counts.
      const [begin, close] = type === 'SequenceExpression' ? ['((', '))'] : ['(', ')'];
      this.edits.push({ at: start, end: start, text: `${this.prefix}w${begin}` }, { at: end, end, text: close });
    } else if (node.type === 'ImportExpression') {
      this.importsLater = true;
      this.edits.push({ at: node.start, end: node.start + 'import'.length, text: `${this.prefix}i` });
    } else if (node.type === 'MetaProperty' && node.meta.name === 'import') {
      this.edits.push({ at: node.start, end: node.end, text: `${this.prefix}m` });
    }
    eachPart(node, 'value', (part) => {
      this.look(part, declarations);
    });
  }

  private refuse(at: number, message: string): never {
    throw new ScriptSyntaxError(message, { line: this.lineAt(at), column: 1 });
  }

  private lineAt(at: number): number {
    return (this.lineTable ??= new LineTable(this.source)).at(at);
  }

  private lines(at: number, end: number): string {
    return this.source.slice(at, end).replace(/[^\n\r\u2028\u2029]+/g, '');
  }

  private blank(at: number, end: number): void {
    this.edits.push({ at, end, text: `;${this.lines(at, end)}` });
  }

  private edited(): Edited {
    let room = MOST_TEXT - this.source.length;
    return edited(this.source, this.edits, (by) => {
      room -= by;
      if (room < 0) throw tooMuch(`${String(MOST_TEXT)} characters`);
    });
  }
}

function isDeclaration(node: AnyNode): node is ModuleDeclaration {
  return /^(?:Import|Export(?:Named|Default|All))Declaration$/.test(node.type);
}

function nameOf(node: Identifier | Extract<AnyNode, { type: 'Literal' }>): string {
  return node.type === 'Identifier' ? node.name : String(node.value);
}
