/**
 * Scripts that do nothing but work on texts, numbers and values of objects: `$.row.name.toUpperCase()`. Going to an isolate takes a hundred times
 * as long as such a script does, so these are evaluated on the loop, by functions that are made of their tree: no code of a user is run. They have no
 * loop and no function of their own, reach nothing but their own values and constants of their context, and change nothing. Whatever is not
 * certain to be what V8 makes of it is left to the engine, also in the middle: what was done until then has left no trace.
 */
import type { AnyNode, BinaryOperator, Expression, Statement } from 'acorn';
import { SizedCache } from '../../../language/sized-cache.js';
import type { ScriptEntity } from '../../../language/values.js';
import { parseJavaScript } from '../source/tree.js';
import { functionOf, methodOf } from './plain-methods.js';
import { isPrimitive, leave, short, type Plain, type Primitive } from './plain-values.js';

/** What a script finds: its variables, what it can ask for, and the values of objects. */
export interface PlainScope {
  /** `$.name`. Throws `Left`. */
  constant(name: string): Plain;
  /** A property of an object. Throws `Left`. */
  property(of: ScriptEntity, key: string): Plain;
}

interface Frame {
  readonly variables: Plain[];
  readonly scope: PlainScope;
}

type Step = (frame: Frame) => Plain;

/** The value of a script. Throws `Left`, and whatever its operations throw: then the engine is to run it. */
export type PlainScript = (scope: PlainScope) => Plain;

/** Characters of a source that is looked at; longer ones do more. */
const LONGEST = 2000;
/** Characters of sources that are kept. */
const MOST_KEPT = 4 * 1024 * 1024;

const known = new SizedCache<{ readonly script: PlainScript | undefined }>(MOST_KEPT);

/** Undefined: it is no such script. `source`: JavaScript that answers by the value of its last expression. */
export function plainScript(source: string): PlainScript | undefined {
  if (source.length > LONGEST) return undefined;
  let found = known.get(source);
  if (found === undefined) known.set(source, (found = { script: compile(source) }));
  return found.script;
}

function compile(source: string): PlainScript | undefined {
  try {
    const { body } = parseJavaScript(source);
    const [first] = body;
    const statements = body.length === 1 && first?.type === 'BlockStatement' ? first.body : (body as Statement[]);
    return new Compiler().script(statements);
  } catch {
    // V8 says what is wrong with it.
    return undefined;
  }
}

class Compiler {
  /** By their names, with their places. */
  readonly #variables = new Map<string, { readonly at: number; readonly isConstant: boolean }>();

  script(statements: readonly Statement[]): PlainScript {
    const last = statements.at(-1);
    if (last?.type !== 'ExpressionStatement') leave();
    const steps = statements.flatMap((one) => this.#statement(one));
    return (scope) => {
      const frame: Frame = { variables: [], scope };
      let value: Plain;
      for (let i = 0; i < steps.length; i++) value = (steps[i] as Step)(frame);
      return value;
    };
  }

  #statement(statement: Statement): Step[] {
    if (statement.type === 'EmptyStatement') return [];
    if (statement.type === 'ExpressionStatement') return [this.#expression(statement.expression)];
    if (statement.type !== 'VariableDeclaration' || statement.kind === 'var') leave();
    return statement.declarations.map(({ id, init }) => {
      if (id.type !== 'Identifier' || this.#variables.has(id.name)) leave();
      const value = init ? this.#expression(init) : (): undefined => undefined;
      // Known from here on only: what is named before is left to the engine, which fails for it.
      const at = this.#variables.size;
      this.#variables.set(id.name, { at, isConstant: statement.kind !== 'let' });
      return (frame) => (frame.variables[at] = value(frame));
    });
  }

  #expression(node: Expression): Step {
    switch (node.type) {
      case 'Literal': {
        const { value } = node;
        if (!isPrimitive(value)) leave();
        return () => value;
      }
      case 'TemplateLiteral':
        return this.#template(
          node.quasis.map(({ value }) => value.cooked ?? leave()),
          node.expressions.map((one) => this.#expression(one)),
        );
      case 'Identifier':
        return this.#name(node.name);
      case 'ArrayExpression': {
        const parts = node.elements.map((one) => (one === null ? leave() : this.#part(one)));
        return (frame) => parts.map((part) => part(frame));
      }
      case 'UnaryExpression':
        return unary(node.operator, this.#expression(node.argument));
      case 'BinaryExpression':
        return binary(node.operator, this.#part(node.left), this.#expression(node.right));
      case 'LogicalExpression': {
        const [left, right] = [this.#expression(node.left), this.#expression(node.right)];
        if (node.operator === '&&') return (frame) => left(frame) && right(frame);
        if (node.operator === '||') return (frame) => left(frame) || right(frame);
        return (frame) => left(frame) ?? right(frame);
      }
      case 'ConditionalExpression': {
        const test = this.#expression(node.test);
        const [then, otherwise] = [this.#expression(node.consequent), this.#expression(node.alternate)];
        return (frame) => (test(frame) ? then(frame) : otherwise(frame));
      }
      case 'AssignmentExpression': {
        const variable = node.left.type === 'Identifier' ? this.#variables.get(node.left.name) : undefined;
        if (variable === undefined || variable.isConstant || node.operator !== '=') leave();
        const value = this.#expression(node.right);
        return (frame) => (frame.variables[variable.at] = value(frame));
      }
      case 'MemberExpression':
        return this.#member(node);
      case 'CallExpression':
        return this.#call(node);
      default:
        return leave();
    }
  }

  /** Where more may stand than expressions. */
  #part(node: AnyNode): Step {
    if (node.type === 'SpreadElement' || node.type === 'PrivateIdentifier' || node.type === 'Super') leave();
    return this.#expression(node as Expression);
  }

  #name(name: string): Step {
    const variable = this.#variables.get(name);
    if (variable !== undefined) return (frame) => frame.variables[variable.at];
    if (name === 'undefined') return () => undefined;
    return leave();
  }

  #template(texts: readonly string[], values: readonly Step[]): Step {
    return (frame) => {
      let text = texts[0] ?? '';
      for (let i = 0; i < values.length; i++) {
        const value = (values[i] as Step)(frame);
        if (!isPrimitive(value)) leave();
        text += String(value) + (texts[i + 1] ?? '');
      }
      return short(text);
    };
  }

  #member(node: Extract<Expression, { type: 'MemberExpression' }>): Step {
    if (node.optional) leave();
    if (node.computed) {
      const [of, place] = [this.#part(node.object), this.#part(node.property)];
      return (frame) => elementOf(of(frame), place(frame));
    }
    if (node.property.type !== 'Identifier') leave();
    const { name } = node.property;
    if (node.object.type === 'Identifier' && node.object.name === '$' && !this.#variables.has('$')) {
      return (frame) => frame.scope.constant(name);
    }
    const of = this.#part(node.object);
    return (frame) => {
      const value = of(frame);
      if (typeof value === 'string' || Array.isArray(value)) return name === 'length' ? value.length : leave();
      if (value === null || typeof value !== 'object') leave();
      return frame.scope.property(value as ScriptEntity, name);
    };
  }

  #call(node: Extract<Expression, { type: 'CallExpression' }>): Step {
    const { callee } = node;
    if (node.optional || callee.type !== 'MemberExpression' || callee.computed || callee.optional) leave();
    if (callee.property.type !== 'Identifier') leave();
    const { name } = callee.property;
    const args = node.arguments.map((one) => this.#part(one));
    if (callee.object.type === 'Identifier' && !this.#variables.has(callee.object.name)) {
      const made = functionOf(callee.object.name, name) ?? leave();
      return (frame) => made(valuesOf(args, frame));
    }
    const of = this.#part(callee.object);
    return (frame) => {
      const value = of(frame);
      return methodOf(value, name)(value, valuesOf(args, frame));
    };
  }
}

function valuesOf(steps: readonly Step[], frame: Frame): Primitive[] {
  return steps.map((one) => {
    const value = one(frame);
    return isPrimitive(value) ? value : leave();
  });
}

function elementOf(value: Plain, place: Plain): Plain {
  if (typeof value !== 'string' && !Array.isArray(value)) leave();
  if (typeof place !== 'number' || !Number.isInteger(place)) leave();
  // What lies beyond is a matter of prototypes.
  if (place < 0 || place >= value.length) leave();
  return value[place] as Plain;
}

function unary(operator: string, value: Step): Step {
  if (operator === '!') return (frame) => !value(frame);
  const operation = UNARY.get(operator) ?? leave();
  return (frame) => {
    const one = value(frame);
    return isPrimitive(one) ? operation(one) : leave();
  };
}

function binary(operator: BinaryOperator, left: Step, right: Step): Step {
  const operation = BINARY.get(operator) ?? leave();
  return (frame) => {
    const [a, b] = [left(frame), right(frame)];
    return isPrimitive(a) && isPrimitive(b) ? operation(a, b) : leave();
  };
}

/* What operators do with other things than numbers is the very thing that scripts want of them. */
const UNARY: ReadonlyMap<string, (value: Primitive) => Plain> = new Map<string, (value: Primitive) => Plain>([
  ['-', (value) => -(value as number)],
  ['+', (value) => +(value as number)],
  ['typeof', (value) => typeof value],
]);

const BINARY: ReadonlyMap<string, (a: Primitive, b: Primitive) => Plain> = new Map<
  string,
  (a: Primitive, b: Primitive) => Plain
>([
  ['+', (a, b) => short((a as string) + (b as string))],
  ['-', (a, b) => (a as number) - (b as number)],
  ['*', (a, b) => (a as number) * (b as number)],
  ['/', (a, b) => (a as number) / (b as number)],
  ['%', (a, b) => (a as number) % (b as number)],
  ['===', (a, b) => a === b],
  ['!==', (a, b) => a !== b],
  // eslint-disable-next-line eqeqeq
  ['==', (a, b) => a == b],
  // eslint-disable-next-line eqeqeq
  ['!=', (a, b) => a != b],
  ['<', (a, b) => (a as number) < (b as number)],
  ['<=', (a, b) => (a as number) <= (b as number)],
  ['>', (a, b) => (a as number) > (b as number)],
  ['>=', (a, b) => (a as number) >= (b as number)],
]);
