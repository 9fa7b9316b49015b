/** Grants on types, whose principals a document names. */
import type { JsonObject } from '../../../shared/json.js';
import type { ObjectTransaction } from '../../schema/index.js';
import { grantKey, type LoadedGrant, type LoadedSchema } from './load.js';
import { GRANT_RIGHTS, named, type GrantModel, type SchemaModel } from './model.js';
import type { Writing } from './writing.js';

/** Names of principals whose grants were left out. */
export interface PrincipalsFound {
  readonly missingPrincipals: readonly string[];
  /** Several have the name; grants that they have already stay. */
  readonly ambiguousPrincipals: readonly string[];
}

export async function applyGrants(
  writing: Writing,
  there: LoadedSchema,
  wanted: SchemaModel,
): Promise<PrincipalsFound> {
  const missing = new Set<string>();
  const ambiguous = new Set<string>();
  const ids = new Map<string, readonly string[]>();
  const types = named(there.types);
  for (const type of wanted.types) {
    const old = types.get(type.name);
    const present = named(old?.grants ?? []);
    for (const grant of type.grants) {
      const { name } = grant;
      const same = present.get(name);
      if (isEqual(same, grant)) continue;
      let found = ids.get(name);
      if (found === undefined) ids.set(name, (found = await principalsNamed(writing.objects, name)));
      const [principal] = found;
      if (principal === undefined) missing.add(name);
      else if (found.length > 1) ambiguous.add(name);
      else {
        const owner = old?.node === undefined ? { staticSchemaNodeName: type.name } : { schemaNode: old.node.id };
        await writeGrant(writing, same, grant, { principal, ...owner });
      }
    }
  }
  return { missingPrincipals: [...missing].sort(), ambiguousPrincipals: [...ambiguous].sort() };
}

function isEqual(present: LoadedGrant | undefined, wanted: GrantModel): boolean {
  return present !== undefined && GRANT_RIGHTS.every((right) => present.rights.has(right) === wanted.rights.has(right));
}

async function principalsNamed({ tx, schema }: ObjectTransaction, name: string): Promise<readonly string[]> {
  const types = schema.type('Principal')?.concreteTypes ?? [];
  const where = { op: 'equals', key: 'name', value: name } as const;
  const found = await tx.find({ kind: 'nodes', trait: 'Principal', types, where, limit: 2 });
  return found.map(({ id }) => id);
}

async function writeGrant(
  writing: Writing,
  present: LoadedGrant | undefined,
  { rights }: GrantModel,
  target: JsonObject,
): Promise<void> {
  const flags = Object.fromEntries(GRANT_RIGHTS.map((right) => [grantKey(right), rights.has(right)]));
  const [node, ...others] = present?.nodes ?? [];
  for (const other of others) await writing.delete(other);
  if (node === undefined) await writing.create('SchemaGrant', { ...target, ...flags });
  else await writing.update(node, flags);
}
