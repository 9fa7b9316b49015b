/** Calls of functions of `$` in JavaScript, also by other names for `$` or for them. */
import type { AnyNode, CallExpression, Expression, Program, Super } from 'acorn';
import { Names, type Binding } from '../engines/javascript/source/names.js';
import { keyOf, parseJavaScript, readable, textOfNode } from '../engines/javascript/source/tree.js';
import { eachPart } from '../engines/javascript/source/walk.js';
import type { ArgumentKind, FoundArgument, FoundCall, Wanted } from './calls.js';

/** Names that stand for each other; more are not followed. */
const LONGEST_CHAIN = 20;
/** Parts of values that are looked at for one source: more than a source has, unless its names go in many circles. */
const MOST_STEPS = 1_000_000;
const SERVICE: ReadonlySet<string> = new Set(['$', 'Svc']);

/** What an expression is: `$`, one of its functions (undefined: nobody can say which), or perhaps one of these. */
type Meaning =
  | { readonly kind: 'service'; readonly doubt?: string | undefined }
  | { readonly kind: 'function'; readonly name: string | undefined; readonly doubt?: string | undefined };

/** In the order of the source. Names for which `mostSteps` do not suffice are doubted. Throws `ScriptSyntaxError`. */
export function callsInJavaScript(source: string, wanted: Wanted, mostSteps = MOST_STEPS): readonly FoundCall[] {
  const program = parseJavaScript(source);
  return readable(() => new Finding(program, wanted, mostSteps).calls);
}

class Finding {
  private readonly found: FoundCall[] = [];
  private readonly names: Names;
  /** Places where a function of the library is called, or gets a name that is followed. */
  private readonly followed = new Set<AnyNode>();
  /** What names mean; undefined also while they are looked at, so that circles end. */
  private readonly known = new Map<Binding, Meaning | undefined>();
  private readonly lookedAt = new Set<Binding>();
  /** Without a meaning so far, since the first of `lookedAt`. */
  private readonly without: Binding[] = [];
  private isCircle = false;
  private isCut = false;

  constructor(
    program: Program,
    private readonly wanted: Wanted,
    private stepsLeft: number,
  ) {
    this.names = new Names(program);
    this.look(program);
  }

  get calls(): readonly FoundCall[] {
    return this.found.sort((a, b) => a.at - b.at);
  }

  private look(node: AnyNode): void {
    if (node.type === 'CallExpression') this.call(node);
    else if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init) {
      this.followed.add(node.init);
    } else if (node.type === 'MemberExpression') this.handedOn(node);
    eachPart(node, 'value', (part) => {
      this.look(part);
    });
  }

  private call(node: CallExpression): void {
    const { callee } = node;
    this.followed.add(callee);
    const meaning = this.meaning(callee);
    if (meaning?.kind !== 'function') return;
    const { name, doubt } = meaning;
    const spread = node.arguments.some((one) => one.type === 'SpreadElement');
    this.add(
      node,
      name,
      node.arguments.map(argument),
      doubt ?? (spread ? 'its arguments are those of a list' : undefined),
    );
  }

  /** A function of the library that is not called where it is named. */
  private handedOn(node: Extract<AnyNode, { type: 'MemberExpression' }>): void {
    if (this.followed.has(node)) return;
    const meaning = this.meaning(node);
    if (meaning?.kind !== 'function' || meaning.name === undefined || meaning.doubt !== undefined) return;
    this.add(node, meaning.name, undefined, 'it is not called here but handed on');
  }

  private add(node: AnyNode, name: string | undefined, args: FoundCall['args'], doubt: string | undefined): void {
    const known = name === undefined ? undefined : this.wanted(name);
    if (known !== undefined) this.found.push({ name: known, at: node.start, language: 'javascript', args, doubt });
  }

  private meaning(node: Expression | Super, chain = 0): Meaning | undefined {
    if (this.lookedAt.size > 0) this.stepsLeft--;
    if (chain > LONGEST_CHAIN) {
      this.isCut = true;
      return undefined;
    }
    switch (node.type) {
      case 'Identifier': {
        const reference = this.names.references.get(node);
        if (reference?.binding !== undefined) return this.meaningOfName(reference.binding, chain);
        return reference !== undefined && SERVICE.has(node.name) ? { kind: 'service' } : undefined;
      }
      case 'MemberExpression': {
        const of = this.meaning(node.object, chain + 1);
        if (of?.kind !== 'service') return undefined;
        return this.member(of, keyOf(node.property, node.computed));
      }
      case 'ChainExpression':
      case 'ParenthesizedExpression':
        return this.meaning(node.expression, chain + 1);
      case 'AssignmentExpression':
        return this.meaning(node.right, chain + 1);
      case 'LogicalExpression':
        return this.perhaps([node.left, node.right], chain);
      case 'ConditionalExpression':
        return this.perhaps([node.consequent, node.alternate], chain);
      default:
        return undefined;
    }
  }

  private member(of: Meaning, name: string | undefined): Meaning {
    const doubt = of.doubt ?? (name === undefined ? 'its name is known to the running script alone' : undefined);
    return { kind: 'function', name, doubt };
  }

  private perhaps(nodes: readonly Expression[], chain: number): Meaning | undefined {
    for (const node of nodes) {
      const meaning = this.meaning(node, chain + 1);
      if (meaning !== undefined) return { ...meaning, doubt: 'it may be another one' };
    }
    return undefined;
  }

  private meaningOfName(binding: Binding, chain: number): Meaning | undefined {
    // Whoever has a parameter of this kind calls it with `$`, or with something else that has such a method.
    if (binding.isParameter) return { kind: 'service', doubt: `${binding.name} is a parameter` };
    if (this.known.has(binding)) {
      if (this.lookedAt.has(binding)) this.isCircle = true;
      return this.known.get(binding);
    }
    if (this.stepsLeft <= 0) return { kind: 'service', doubt: `it takes too long to follow ${binding.name}` };
    const isFirst = this.lookedAt.size === 0;
    if (isFirst) this.isCircle = this.isCut = false;
    this.known.set(binding, undefined);
    this.lookedAt.add(binding);
    const meaning = this.meaningOfValues(binding, isFirst ? 0 : chain);
    this.lookedAt.delete(binding);
    if (meaning !== undefined) this.known.set(binding, meaning);
    else if (!isFirst) this.without.push(binding);
    if (isFirst) this.forget(meaning);
    return meaning;
  }

  /** Names that only seem to mean nothing: a circle ended at a name that has a meaning now, or a chain was too long. */
  private forget(meaning: Meaning | undefined): void {
    if (this.isCut || (this.isCircle && meaning !== undefined)) for (const one of this.without) this.known.delete(one);
    this.without.length = 0;
  }

  private meaningOfValues(binding: Binding, chain: number): Meaning | undefined {
    for (const { node, key } of binding.values) {
      const value = this.meaning(node, chain + 1);
      if (value === undefined || (key !== undefined && value.kind !== 'service')) continue;
      const meaning = key === undefined ? value : this.member(value, key);
      return binding.isCertain ? meaning : { ...meaning, doubt: `${binding.name} may be something else` };
    }
    return undefined;
  }
}

function argument(node: CallExpression['arguments'][number]): FoundArgument {
  const keys = keysOf(node);
  return { kind: kindOf(node), at: node.start, end: node.end, text: textOfNode(node), ...(keys && { keys }) };
}

function kindOf(node: CallExpression['arguments'][number]): ArgumentKind {
  switch (node.type) {
    case 'SpreadElement':
      return 'spread';
    case 'ObjectExpression':
      return 'map';
    case 'TemplateLiteral':
      return 'text';
    case 'Identifier':
      return node.name === 'undefined' ? 'null' : 'other';
    case 'Literal':
      if (typeof node.value === 'string') return 'text';
      return node.value === null && node.raw === 'null' ? 'null' : 'literal';
    default:
      return 'other';
  }
}

function keysOf(node: CallExpression['arguments'][number]): readonly string[] | undefined {
  if (node.type !== 'ObjectExpression') return undefined;
  const keys: string[] = [];
  for (const one of node.properties) {
    const key = one.type === 'Property' ? keyOf(one.key, one.computed) : undefined;
    if (key === undefined) return undefined;
    keys.push(key);
  }
  return keys;
}
