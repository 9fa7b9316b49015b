/** Which storage an upload goes to: that of the folder it is meant for, as far as its fields have told (files.md 8.2). */
import type { GraphNode, ReadTransaction } from '../graph/index.js';
import { typesOf, type Actor, type Schema } from '../schema/index.js';
import type { Received } from './content.js';
import type { FilesContext } from './context.js';
import { idField, type Fields } from './upload-fields.js';
import { likelyFolder } from './upload-target.js';

/** Folders above a file that its path tells. */
const DEEPEST = 256;

/** Where to store content, and what to call it there. */
export interface StoreOfUpload {
  readonly store: string;
  readonly path?: string;
}

/** The storage that an upload with these fields goes to. Throws `FilesError` when it cannot be used. */
export async function storeOfUpload(
  { config, graph, schemas, storages }: FilesContext,
  actor: Actor,
  fields: Fields,
  filename: string,
): Promise<StoreOfUpload> {
  if (!(await storages.anyConfigured())) return { store: '' };
  const { schema } = schemas;
  return graph.read(async (tx) => {
    const folder = await likelyFolder({ tx, schema }, config, actor, fields);
    // Whether it may be linked, and is there, is seen when the file is created.
    const own = actor.isAdmin ? await idField(fields, 'storageConfiguration') : undefined;
    const counts = own !== undefined && (await tx.node(own)) !== undefined;
    const store = counts ? await storages.nameOf(own) : await storages.nameFor(tx, folder);
    if (store === '') return { store };
    const names = await namesTo(tx, schema, folder);
    return { store, path: `/${[...names, fields.get('name') ?? filename].join('/')}` };
  });
}

async function namesTo(tx: ReadTransaction, schema: Schema, folder: GraphNode | undefined): Promise<string[]> {
  const upwards = { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'Folder') } as const;
  const names: string[] = [];
  for (let at = folder; at !== undefined && names.length < DEEPEST; ) {
    names.unshift(String(at.properties['name'] ?? at.id));
    at = (await tx.related([at.id], upwards, 1))[0]?.[0];
  }
  return names;
}

/** Content of an upload where it belongs, now that all fields are there. */
export async function inItsStore(
  context: FilesContext,
  actor: Actor,
  fields: Fields,
  { filename, received }: { readonly filename: string; readonly received: Received },
): Promise<Received> {
  const { store, path } = await storeOfUpload(context, actor, fields, filename);
  return store === received.store ? received : context.contents.relocate(received, store, path);
}
