/** Which declaration a name in a JavaScript source means. */
import type { AnyNode, Expression, Identifier, Pattern, Program } from 'acorn';
import { keyOf } from './tree.js';
import { eachPart, type Role } from './walk.js';

/** A name as it is declared in one scope. */
export interface Binding {
  readonly name: string;
  /** What is seen to become its value; with `key`: that key of it. */
  readonly values: { readonly node: Expression; readonly key?: string }[];
  /** It has the one value in `values`, and never another one. */
  isCertain: boolean;
  /** What it is called with is its value. */
  readonly isParameter: boolean;
  /** Another module says what it is. */
  readonly isImport: boolean;
}

/** A place where a name stands for its value, or is given one. */
export interface Reference {
  readonly node: Identifier;
  /** The nodes around it, the nearest first; not more than four. */
  readonly around: readonly AnyNode[];
  /** Undefined: a global. */
  readonly binding: Binding | undefined;
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  ...['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'StaticBlock', 'Program'],
]);
const BLOCKS: ReadonlySet<string> = new Set([
  ...['BlockStatement', 'ForStatement', 'ForInStatement', 'ForOfStatement', 'SwitchStatement', ...FUNCTIONS],
]);
const NEAR = 4;

type Scope = Map<string, Binding>;
type Visit = (node: AnyNode, role: Role) => void;

/** Throws `RangeError` for what is nested too deeply (see `readable`). */
export class Names {
  /** By their nodes, in the order of the source. */
  readonly references = new Map<AnyNode, Reference>();
  private readonly scopes = new Map<AnyNode, Scope>();
  /** What is around the node that is looked at: all nodes, blocks, functions, and scopes with names. */
  private readonly around: AnyNode[] = [];
  private readonly blocks: AnyNode[] = [];
  private readonly functions: AnyNode[] = [];
  private readonly named: Scope[] = [];

  constructor(program: Program) {
    this.walk(program, 'value', (node) => {
      this.declarations(node);
    });
    this.walk(program, 'value', (node, role) => {
      this.use(node, role);
    });
  }

  /** Calls `visit` for every node before its parts. */
  private walk(node: AnyNode, role: Role, visit: Visit): void {
    visit(node, role);
    const { around, blocks, functions, named } = this;
    const scope = this.scopes.get(node);
    around.push(node);
    if (scope !== undefined) named.push(scope);
    const isBlock = BLOCKS.has(node.type);
    const isFunction = FUNCTIONS.has(node.type);
    if (isBlock) blocks.push(node);
    if (isFunction) functions.push(node);
    eachPart(node, role, (part, its) => {
      this.walk(part, its, visit);
    });
    if (isFunction) functions.pop();
    if (isBlock) blocks.pop();
    if (scope !== undefined) named.pop();
    around.pop();
  }

  private declarations(node: AnyNode): void {
    switch (node.type) {
      case 'VariableDeclaration': {
        const scope = (node.kind === 'var' ? this.functions : this.blocks).at(-1);
        for (const { id, init } of node.declarations) {
          for (const { name, key } of bound(id)) {
            const binding = this.declare(scope, name);
            if (!init || key === null) binding.isCertain = false;
            else binding.values.push({ node: init, ...(key === undefined ? {} : { key }) });
          }
        }
        return;
      }
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        for (const one of node.params) for (const { name } of bound(one)) this.declare(node, name, true);
        if (node.id) this.declareOther(node.type === 'FunctionDeclaration' ? this.blocks.at(-1) : node, node.id.name);
        return;
      case 'ClassDeclaration':
      case 'ClassExpression':
        if (node.id) this.declareOther(node.type === 'ClassDeclaration' ? this.blocks.at(-1) : node, node.id.name);
        return;
      case 'CatchClause':
        if (node.param) for (const { name } of bound(node.param)) this.declare(node, name, true);
        return;
      case 'ImportDeclaration':
        for (const { local } of node.specifiers) {
          this.declare(this.functions[0], local.name, false, true).isCertain = false;
        }
        return;
      default:
    }
  }

  private declareOther(scope: AnyNode | undefined, name: string): void {
    this.declare(scope, name).isCertain = false;
  }

  private declare(scope: AnyNode | undefined, name: string, isParameter = false, isImport = false): Binding {
    if (scope === undefined) throw new RangeError('a declaration outside of a program');
    let names = this.scopes.get(scope);
    if (names === undefined) this.scopes.set(scope, (names = new Map<string, Binding>()));
    const known = names.get(name);
    if (known !== undefined) {
      known.isCertain = false;
      return known;
    }
    const binding: Binding = { name, values: [], isCertain: !isParameter, isParameter, isImport };
    names.set(name, binding);
    return binding;
  }

  private use(node: AnyNode, role: Role): void {
    if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') {
      this.meaning(node.left.name)?.values.push({ node: node.right });
    }
    if (node.type !== 'Identifier' || role === 'declared') return;
    const binding = this.meaning(node.name);
    if (role === 'assigned' && binding !== undefined) binding.isCertain = false;
    this.references.set(node, { node, around: this.around.slice(-NEAR).reverse(), binding });
  }

  private meaning(name: string): Binding | undefined {
    for (let i = this.named.length - 1; i >= 0; i--) {
      const found = this.named[i]?.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Names that a pattern declares. `key`: of what is taken apart; null: its value cannot be seen, undefined: the whole. */
export function bound(
  pattern: Pattern,
  key?: string | null,
): { readonly name: string; readonly key: string | null | undefined }[] {
  switch (pattern.type) {
    case 'Identifier':
      return [{ name: pattern.name, key }];
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) => {
        if (one.type === 'RestElement') return bound(one.argument, null);
        return bound(one.value, (key === undefined ? keyOf(one.key, one.computed) : undefined) ?? null);
      });
    case 'ArrayPattern':
      return pattern.elements.flatMap((one) => (one === null ? [] : bound(one, null)));
    case 'RestElement':
      return bound(pattern.argument, null);
    case 'AssignmentPattern':
      return bound(pattern.left, null);
    case 'MemberExpression':
      return [];
  }
}
