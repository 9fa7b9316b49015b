/**
 * Where content may lie (docs/interface/files.md 9.2): configured by administrators alone, since a configuration says which hosts the
 * service talks to and which directories it reads; and checked before somebody's content depends on it.
 */
import type { GraphNode, ReadTransaction } from '../../../graph/index.js';
import type { ErrorToken } from '../../model/errors.js';
import { SchemaError } from '../../model/errors.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import type { Schema } from '../../model/schema.js';
import { typesOf } from '../../model/lookup.js';
import type { StoragePolicy } from '../../writing/policies.js';
import type { TraitRule } from '../rule.js';

/** Values of the entries of a configuration by name; undefined: one that cannot be decrypted. */
export async function storageEntries(
  tx: ReadTransaction,
  schema: Schema,
  id: string,
): Promise<Map<string, string | undefined>> {
  const step = { relType: 'CONFIG_ENTRY', direction: 'out', ...typesOf(schema, 'StorageConfigurationEntry') } as const;
  const [nodes = []] = await tx.related([id], step);
  const entries = new Map<string, string | undefined>();
  for (const node of nodes) {
    const { name, value } = node.properties;
    if (typeof name !== 'string') continue;
    const property = schema.typeOf(node).properties.get('value');
    const text: unknown =
      value === undefined ? '' : property?.kind === 'value' ? JSON.parse(property.toJson(value)) : undefined;
    entries.set(name, typeof text === 'string' ? text : undefined);
  }
  return entries;
}

function forAdministrators(node: string, { actor }: ObjectTransaction): void {
  if (actor.isAdmin) return;
  throw new SchemaError(`Only administrators may write objects of type ${node}.`, [], 'forbidden');
}

export const storageConfigurationRule: TraitRule = {
  trait: 'StorageConfiguration',
  message: 'The storage cannot be used as it is configured',
  normalise(_values, _before, objects) {
    forAdministrators('StorageConfiguration', objects);
  },
  async deleting(node, objects) {
    forAdministrators('StorageConfiguration', objects);
    const [file] = await objects.tx.find({
      kind: 'nodes',
      trait: 'File',
      ...typesOf(objects.schema, 'File'),
      where: { op: 'endsWith', key: 'contentKey', value: `:${node.id}` },
      limit: 1,
    });
    if (file === undefined) return;
    throw new SchemaError(
      'The content of files lies in this storage: link their folders to another one, or to none, and wait until it has been moved.',
      [{ type: node.type, property: 'folders', token: 'still_in_use', detail: file.id }],
    );
  },
  async validate(node, objects) {
    const policy = objects.options.storages;
    if (policy === undefined) return [];
    return problemsOf(node, objects, policy);
  },
};

async function problemsOf(node: GraphNode, objects: ObjectTransaction, policy: StoragePolicy): Promise<ErrorToken[]> {
  const { provider } = node.properties;
  const type = node.type;
  // That it must not be empty is said already.
  if (typeof provider !== 'string' || provider === '') return [];
  if (!policy.providers.includes(provider)) {
    const detail = `There is no such provider; there are: ${policy.providers.join(', ')}`;
    return [{ type, property: 'provider', token: 'must_match', value: provider, detail }];
  }
  const entries = await storageEntries(objects.tx, objects.schema, node.id);
  const [users = []] = await objects.tx.related([node.id], { relType: 'CONFIGURED_BY', direction: 'in' }, 1);
  return policy
    .problems(provider, entries)
    .filter(({ missing }) => missing !== true || users.length > 0)
    .map(({ entry, token, detail }) => ({ type, property: entry, token, detail: `The provider ${detail}.` }));
}

export const storageEntryRule: TraitRule = {
  trait: 'StorageConfigurationEntry',
  normalise(_values, _before, objects) {
    forAdministrators('StorageConfigurationEntry', objects);
  },
  async deleting(node, objects) {
    forAdministrators('StorageConfigurationEntry', objects);
    for (const configuration of await configurationsOf(node, objects)) objects.touch(configuration.id);
  },
  async complete(node, objects) {
    // A changed value changes what its configuration means.
    for (const configuration of await configurationsOf(node, objects)) objects.touch(configuration.id);
  },
};

async function configurationsOf(node: GraphNode, { tx }: ObjectTransaction): Promise<readonly GraphNode[]> {
  return (await tx.related([node.id], { relType: 'CONFIG_ENTRY', direction: 'in' }, 1))[0] ?? [];
}
