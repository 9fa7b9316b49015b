/** Goes through the tree of a JavaScript source. */
import type { AnyNode } from 'acorn';

/**
 * What a name does where it stands: stands for its value, is declared, is given another value. Names that are none of it (keys,
 * labels, names of other modules) are not visited.
 */
export type Role = 'value' | 'declared' | 'assigned';

/** Calls `visit` with each part of a node, in the order of the source. `role` is that of the node itself. */
export function eachPart(node: AnyNode, role: Role, visit: (part: AnyNode, role: Role) => void): void {
  const roles = rolesOf(node, role);
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    const part = roles === undefined ? 'value' : (roles[key] ?? 'value');
    if (part === 'none') continue;
    if (isNode(value)) visit(value, part);
    else if (Array.isArray(value)) for (const one of value as unknown[]) if (isNode(one)) visit(one, part);
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

type Roles = Readonly<Record<string, Role | 'none'>>;

const NO_KEY: Roles = { key: 'none' };
const FUNCTION: Roles = { id: 'declared', params: 'declared' };
const NONE: Roles = {
  local: 'none',
  imported: 'none',
  exported: 'none',
  label: 'none',
  meta: 'none',
  property: 'none',
};

/** Roles of the parts of a node that are not all values. */
function rolesOf(node: AnyNode, role: Role): Roles | undefined {
  switch (node.type) {
    case 'MemberExpression':
      return node.computed ? undefined : NONE;
    case 'Property':
      // Its own role is that of the pattern it is part of.
      return { key: node.computed ? 'value' : 'none', value: role };
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return node.computed ? undefined : NO_KEY;
    case 'ImportAttribute':
      return NO_KEY;
    case 'ObjectPattern':
      return { properties: role };
    case 'ArrayPattern':
      return { elements: role };
    case 'RestElement':
      return { argument: role };
    case 'AssignmentPattern':
      return { left: role };
    case 'VariableDeclarator':
    case 'ClassDeclaration':
    case 'ClassExpression':
      return { id: 'declared' };
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return FUNCTION;
    case 'CatchClause':
      return { param: 'declared' };
    case 'AssignmentExpression':
      return { left: 'assigned' };
    case 'UpdateExpression':
      return { argument: 'assigned' };
    case 'ForInStatement':
    case 'ForOfStatement':
      return { left: 'assigned' };
    case 'ExportSpecifier':
      return { exported: 'none' };
    case 'ExportNamedDeclaration':
      return node.source ? { specifiers: 'none' } : undefined;
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
    case 'ExportAllDeclaration':
      return NONE;
    default:
      return undefined;
  }
}
