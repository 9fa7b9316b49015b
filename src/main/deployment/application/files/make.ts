/** Files and folders of an export, made or changed in a transaction (docs/interface/deployment.md 2.5). */
import type { GraphNode } from '../../../graph/index.js';
import { childAt, inParts, placeOf, type ObjectTransaction, type Type } from '../../../schema/index.js';
import type { DeployedFiles } from '../../../files/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { DeploymentError } from '../../common/errors.js';
import { mustBeFlags, told } from '../list-section.js';
import type { Importing } from '../section.js';
import type { StoredFile } from './contents.js';
import { FILES, type FileEntry } from './entry.js';

/** What is made of one export, in one transaction or several. */
export class MadeFiles {
  readonly #folders = new Map<string, string>();
  /** Paths that something else had. */
  readonly renamed = new Set<string>();

  /** `found`: paths of folders that are found where they are, by their id or path, and made only where there is none. */
  constructor(private readonly found: ReadonlySet<string> = new Set()) {}

  /** Makes or changes what entries say; folders come before what is in them. Throws `DeploymentError`, `SchemaError`. */
  async make(
    into: Pick<Importing, 'objects' | 'principals'>,
    entries: readonly StoredFile[],
    deploying: DeployedFiles,
  ): Promise<void> {
    await this.#leave(into.objects, entries);
    for (const entry of entries) {
      await into.objects.breathe();
      await told(entry, () => this.#one(into, entry, deploying));
    }
  }

  /** What is to move leaves its place, as another one may come there. */
  async #leave({ tx }: ObjectTransaction, entries: readonly StoredFile[]): Promise<void> {
    const folders = new Map(this.#folders);
    for (const { isFolder, path, id } of entries) if (isFolder) folders.set(path, id);
    for (const part of inParts(entries)) {
      const nodes = await tx.nodes(part.map(({ id }) => id));
      for (const [i, { path }] of part.entries()) {
        const node = nodes[i];
        if (node === undefined || this.found.has(path)) continue;
        const cut = path.lastIndexOf('/');
        const place = placeOf(folders.get(path.slice(0, cut)), path.slice(cut + 1));
        if (node.properties['place'] !== place) await tx.updateNode(node.id, { place: null });
      }
    }
  }

  /** Takes folders as made that an earlier run has made. */
  async know({ tx }: ObjectTransaction, entries: readonly FileEntry[]): Promise<void> {
    for (const { id, path, isFolder } of entries) {
      if (isFolder && !this.#folders.has(path) && (await tx.node(id)) !== undefined) this.#folders.set(path, id);
    }
  }

  async #one(
    { objects, principals }: Pick<Importing, 'objects' | 'principals'>,
    entry: StoredFile,
    deploying: DeployedFiles,
  ): Promise<void> {
    const { id, path, isFolder, isTemplate, isSandboxed, content, rights, place: said } = entry;
    const cut = path.lastIndexOf('/');
    const folder = this.#folders.get(path.slice(0, cut));
    const name = path.slice(cut + 1);
    if (cut > 0 && folder === undefined) throw new DeploymentError(`${said}: its folder is not in ${FILES}.`);
    const type = typeOf(objects, entry);
    let there = await objects.tx.node(id);
    if (there !== undefined && !objects.schema.typeOf(there).hasTrait(isFolder ? 'Folder' : 'File'))
      throw new DeploymentError(`${said}: its id is that of an object of the type ${there.type}.`);
    const other = await childAt(objects.tx, objects.schema, folder, name);
    mustBeFlags(type, entry.values, said);
    if (isFolder && this.found.has(path)) {
      const known = there ?? (other !== undefined && isFolderNode(objects, other) ? other : undefined);
      if (known !== undefined) {
        this.#folders.set(path, known.id);
        return;
      }
    }
    if (other !== undefined && other.id !== id) this.renamed.add(path);
    if (there !== undefined && there.type !== type.name) {
      await objects.tx.setNodeType(id, type.name, type.traits);
      there = await objects.tx.node(id);
    }
    const values = there === undefined ? withoutNulls(entry.values) : entry.values;
    // Set at once, and not when the transaction ends: links are made to what is at a path.
    const place = other === undefined || other.id === id ? placeOf(folder, name) : undefined;
    const file = { id, name, folder, place, values };
    const node = isFolder
      ? await putFolder(objects, type, file, there)
      : await deploying.put(objects, type, { ...file, isTemplate, isSandboxed, content });
    if (there !== undefined && place !== undefined && node.properties['place'] !== place)
      await objects.tx.updateNode(id, { place });
    if (isFolder) this.#folders.set(path, id);
    if (rights.owner === null) await objects.update(node, { owner: null });
    await principals.give(objects, node, rights, there !== undefined);
  }
}

function isFolderNode({ schema }: ObjectTransaction, node: GraphNode): boolean {
  return schema.typeOf(node).hasTrait('Folder');
}

function typeOf({ schema }: ObjectTransaction, { type, isFolder, place }: FileEntry): Type {
  const found = schema.type(type);
  if (found?.hasTrait(isFolder ? 'Folder' : 'File') === true) return found;
  throw new DeploymentError(`${place}.type: ${type} is no type of ${isFolder ? 'folders' : 'files'}.`);
}

async function putFolder(
  objects: ObjectTransaction,
  type: Type,
  { id, name, folder, place, values }: FolderValues,
  there: GraphNode | undefined,
): Promise<GraphNode> {
  const input = { ...values, name, parent: folder ?? null };
  if (there !== undefined) return objects.update(there, input);
  return objects.create(type, { ...input, id }, { id, properties: place === undefined ? {} : { place } });
}

interface FolderValues {
  readonly id: string;
  readonly name: string;
  readonly folder: string | undefined;
  readonly place: string | undefined;
  readonly values: JsonObject;
}

function withoutNulls(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
