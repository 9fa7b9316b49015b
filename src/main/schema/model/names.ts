/** Name rules of schema objects (docs/interface/schema.md 4) and the automatic names of relation properties (docs/interface/schema.md 9). */
export const TYPE_NAME = /^[A-Z][a-zA-Z0-9_]*$/;
export const PROPERTY_NAME = /^[a-z][-_0-9A-Za-z]*$/;
export const METHOD_NAME = /^[a-z_][a-zA-Z0-9_]*$/;
export const RELATION_PROPERTY_NAME = /^[a-z][a-zA-Z0-9_]*$/;
export const RESERVED_TYPE_NAMES: ReadonlySet<string> = new Set(['Relation', 'Property']);

const lowerFirst = (s: string): string => s.charAt(0).toLowerCase() + s.slice(1);
const upperFirst = (s: string): string => s.charAt(0).toUpperCase() + s.slice(1);

/** `HAS_TASK` to `hasTask`. */
function camel(name: string): string {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((p) => p !== '')
    .map((p, i) => (i === 0 ? p : upperFirst(p)))
    .join('');
}

function plural(name: string): string {
  if (name.endsWith('y')) return `${name.slice(0, -1)}ies`;
  return name.endsWith('s') ? name : `${name}s`;
}

/** Name of the property on the source type when none is given. */
export function automaticTargetName(relType: string, targetType: string, many: boolean): string {
  const name = lowerFirst(camel(relType)) + upperFirst(targetType.replace(/_/g, ''));
  return many ? plural(name) : name;
}

/** Name of the property on the target type when none is given. */
export function automaticSourceName(relType: string, sourceType: string, many: boolean): string {
  const name = lowerFirst(sourceType.replace(/_/g, '')) + upperFirst(camel(relType));
  return many ? plural(name) : name;
}

/** REST type name of a schema relationship: `Project` + `HAS_TASK` + `Task`. */
export function relationTypeName(source: string, relType: string, target: string): string {
  return source + relType.replace(/\W/g, '') + target;
}

/** `my_prop` to `myProp`: the fallback of property names in URLs (docs/interface/rest.md 1.2). */
export function lowerCamel(segment: string): string {
  return lowerFirst(segment.replace(/_+([a-zA-Z0-9])/g, (_, c: string) => c.toUpperCase()));
}
