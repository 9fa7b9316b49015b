/** Calls in expressions (docs/interface/scripting.md 2). */
import type { Expression } from '../language/expression/ast.js';
import { camelCase } from '../language/camel-case.js';
import { parseExpression } from '../language/expression/parser.js';
import type { FoundArgument, FoundCall, Wanted } from './calls.js';

/** In the order of the source. Throws `ScriptSyntaxError`. */
export function callsInExpression(source: string, wanted: Wanted): readonly FoundCall[] {
  const found: FoundCall[] = [];
  const look = (one: Expression): void => {
    for (const part of partsOf(one)) look(part);
    if (one.kind !== 'call') return;
    const name = wanted(one.name);
    if (name === undefined) return;
    found.push({ name, at: one.at, language: 'expression', args: one.args.map(argument), doubt: undefined });
  };
  for (const item of parseExpression(source).items) look(item);
  return found.sort((a, b) => a.at - b.at);
}

function partsOf(one: Expression): readonly Expression[] {
  switch (one.kind) {
    case 'literal':
    case 'path':
      return [];
    case 'member':
      return one.of === null ? [] : [one.of];
    case 'call':
      return one.args;
    case 'method':
      return one.of === null ? one.args : [one.of, ...one.args];
    case 'group':
      return one.items;
    case 'index':
      return one.of === null ? [one.index] : [one.of, one.index];
  }
}

function argument(one: Expression): FoundArgument {
  const place = { at: beginOf(one), end: one.end };
  // Expressions have no literals for maps: they are made of texts.
  if (one.kind === 'call' && camelCase(one.name) === 'fromJson') return { kind: 'map', ...place };
  if (one.kind !== 'literal') return { kind: 'other', ...place };
  if (one.value === null) return { kind: 'null', ...place };
  const isText = typeof one.value === 'string';
  return { kind: isText ? 'text' : 'literal', text: isText ? String(one.value) : undefined, ...place };
}

/** What stands behind another expression begins with that. */
function beginOf(one: Expression): number {
  let first = one;
  while ('of' in first && first.of !== null) first = first.of;
  return first.at;
}
