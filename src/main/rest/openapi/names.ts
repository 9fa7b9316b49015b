/**
 * Names within the document. Type names hold letters, digits and underscores only, views may be named anything: the
 * forms below keep apart what is apart, so that no two operations or components ever get one name.
 */
import { FIXED_SCHEMAS } from './schemas/envelope-schemas.js';

/** Letters, digits, `_` and `-` as they are, others as their code between dots: component keys allow no more. */
const plain = (name: string): string => name.replace(/[^\w-]/g, (c) => `.${c.charCodeAt(0).toString(16)}.`);

/** Component with a type in a view; `public` is the type itself. */
export function viewComponent(typeName: string, view: string): string {
  return view === 'public' && !FIXED_SCHEMAS.has(typeName) ? typeName : `${typeName}.${plain(view)}`;
}

/** Component with what a request body may hold. */
export const inputComponent = (typeName: string, purpose: 'create' | 'update'): string => `${typeName}-${purpose}`;

/** A reference to a component schema. */
export const schemaRef = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/**
 * Ids of operations (docs/interface/rest.md 9.3). The list of `Task` and the object of a type `TaskList` would share an id, as would
 * global functions and the methods of a type `Global`: the latter ones get a hyphen, which no type name has.
 */
export const operationIds = {
  list: (type: string, view: string): string => `get${type}List.${plain(view)}`,
  get: (type: string, view: string): string => `get${apart(type)}.${plain(view)}`,
  create: (type: string): string => `create${type}`,
  update: (type: string): string => `update${type}`,
  delete: (type: string): string => `delete${apart(type)}`,
  deleteList: (type: string): string => `delete${type}List`,
  execute: (type: string, method: string): string => `execute${type === 'Global' ? '-Global' : type}.${method}`,
  executeGlobal: (name: string): string => `executeGlobal.${name}`,
  maintenance: (command: string): string => `maintenance.${command}`,
} as const;

function apart(type: string): string {
  return type.endsWith('List') ? `-${type}` : type;
}
