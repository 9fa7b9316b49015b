/** Types and their properties, as the server tells them (docs/interface/rest.md 9.1). */
import { read } from './rest.js';

export interface TypeInfo {
  readonly name: string;
  readonly isBuiltin: boolean;
  readonly isAbstract: boolean;
  readonly isRel: boolean;
  readonly isInterface: boolean;
  readonly isServiceClass: boolean;
}

export interface PropertyInfo {
  readonly jsonName: string;
  readonly declaringClass: string;
  readonly readOnly: boolean;
  readonly notNull: boolean;
  readonly indexed: boolean;
  /** `String`, `Integer`, `Boolean`, `Date`, `Enum`, the type of related objects, … */
  readonly type: string;
  readonly uiType: string;
  readonly isCollection: boolean;
  /** Of an Enum: its members. */
  readonly format: string | null;
  readonly relatedType?: string | null;
  /** Of relations: the relationship type whose objects they are, and whether this is the property of its source. */
  readonly relationship?: string;
  readonly direction?: 'out' | 'in';
  /** Such as `org.svc.core.property.PasswordProperty`. */
  readonly className: string;
  /** What a schema puts it under. */
  readonly category: string | null;
  readonly dynamic: boolean;
  readonly serializationDisabled?: boolean;
}

/** All types that have objects of nodes, sorted by name. */
export async function loadTypes(): Promise<readonly TypeInfo[]> {
  const types = await read<readonly TypeInfo[]>('_schema');
  return types
    .filter(
      ({ isRel, isAbstract, isInterface, isServiceClass }) => !isRel && !isAbstract && !isInterface && !isServiceClass,
    )
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** The properties of a type in a view. */
export function loadProperties(type: string, view = 'all'): Promise<readonly PropertyInfo[]> {
  return read<readonly PropertyInfo[]>(`_schema/${encodeURIComponent(type)}/${encodeURIComponent(view)}`);
}

/** Rights of a `SchemaGrant` on all objects of a type (docs/interface/schema.md 2.7). */
export const GRANT_RIGHTS = ['allowRead', 'allowWrite', 'allowDelete', 'allowAccessControl'] as const;
export type GrantRight = (typeof GRANT_RIGHTS)[number];
