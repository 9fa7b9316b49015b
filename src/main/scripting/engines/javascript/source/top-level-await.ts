/** `await` outside of all functions, where imports may stand as well (docs/interface/scripting.md 3). */
import type { AnyNode, Program } from 'acorn';
import { eachPart } from './walk.js';

/** Whether a source may wait at its top: others need not be looked at. */
export function mayAwait(source: string): boolean {
  return /\bawait\b/.test(source);
}

export function awaitsAtTop(program: Program): boolean {
  const looks = (node: AnyNode): boolean => {
    if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) return true;
    let found = false;
    eachPart(node, 'value', (part) => {
      if (!found && !waitsByItself(node, part)) found = looks(part);
    });
    return found;
  };
  return looks(program);
}

/** Parts that are the inside of functions, and of what runs as one. */
function waitsByItself(node: AnyNode, part: AnyNode): boolean {
  if (/Function/.test(node.type) || node.type === 'StaticBlock') return true;
  return node.type === 'PropertyDefinition' && part === node.value;
}

/** Expressions of which one is the value of a script, as the last of its statements that has one. */
export function lastExpressions(body: readonly AnyNode[]): readonly AnyNode[] {
  for (let i = body.length - 1; i >= 0; i--) {
    const statement = body[i];
    if (statement === undefined) continue;
    const found = statement.type === 'BlockStatement' ? lastExpressions(statement.body) : expressionsIn(statement);
    if (found.length > 0) return found;
  }
  return [];
}

function expressionsIn(node: AnyNode): readonly AnyNode[] {
  if (node.type === 'ExpressionStatement') return [node.expression];
  if (!/Statement$|^SwitchCase$|^CatchClause$/.test(node.type)) return [];
  const found: AnyNode[] = [];
  eachPart(node, 'value', (part) => {
    found.push(...expressionsIn(part));
  });
  return found;
}
