/** Grants on types, whose principals a document names. */
import type { JsonObject } from '../../../../shared/json/index.js';
import type { PrincipalNames } from '../../tree/principal-names.js';
import { grantKey, type LoadedGrant, type LoadedSchema } from '../load.js';
import { GRANT_RIGHTS, named, type GrantModel, type SchemaModel } from '../model.js';
import type { Writing } from './writing.js';

/** Grants for principals that are not known, or of whom several have the name, stay as they are. */
export async function applyGrants(
  writing: Writing,
  there: LoadedSchema,
  wanted: SchemaModel,
  principals: PrincipalNames,
): Promise<void> {
  const types = named(there.types);
  for (const type of wanted.types) {
    const old = types.get(type.name);
    const present = named(old?.grants ?? []);
    for (const grant of type.grants) {
      const same = present.get(grant.name);
      if (isEqual(same, grant)) continue;
      const principal = await principals.find(writing.objects, grant.name);
      if (principal === undefined) continue;
      const owner = old?.node === undefined ? { staticSchemaNodeName: type.name } : { schemaNode: old.node.id };
      await writeGrant(writing, same, grant, { principal: principal.id, ...owner });
    }
  }
}

function isEqual(present: LoadedGrant | undefined, wanted: GrantModel): boolean {
  return present !== undefined && GRANT_RIGHTS.every((right) => present.rights.has(right) === wanted.rights.has(right));
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
