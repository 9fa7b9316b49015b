/**
 * Files that the service brings from elsewhere for somebody: their contents are stored first, then it is decided where each goes, so that texts
 * that name them can be written, and at last all become files in one transaction.
 */
import { newId, type GraphNode } from '../../graph/index.js';
import { childAt, type Actor, type ObjectAccess, type ObjectTransaction } from '../../schema/index.js';
import type { Received, ReceiveOptions } from '../content/received.js';
import { detectContentType } from '../content/content-type.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import { looking, type Looking } from '../tree/looking.js';
import { folderIn } from '../zip/folders.js';
import { createFile, receivingInto } from './new-file.js';
import { largestFile } from './upload-target.js';

/** Numbers that are tried for a name that is taken. */
const MOST_NUMBERS = 1000;

/** What files and folders that are made have besides what they are. */
export interface BroughtFields {
  readonly visibleToPublicUsers: boolean;
  readonly visibleToAuthenticatedUsers: boolean;
  readonly includeInFrontendExport?: boolean;
}

/** Content that is stored, and no file yet. */
interface Stored {
  readonly received: Received;
  readonly contentType: string;
}

/** Where it goes. */
export interface Placed {
  readonly id: string;
  /** Names of the folders, and of the file. */
  readonly path: readonly string[];
}

interface NewFile extends Placed, Stored {}

/** A folder, or one that will be made. */
interface Place {
  readonly path: readonly string[];
  /** Undefined: the root of the tree, or one that is not there yet. */
  readonly node: GraphNode | undefined;
  readonly isNew: boolean;
}

export class BroughtFiles {
  readonly #stored: Received[] = [];
  readonly #files = new Map<string, NewFile>();
  /** By path, as it was wished. */
  readonly #folders = new Map<string, Place>();
  /** Paths of folders that will be made. */
  readonly #newFolders = new Set<string>();
  #options: Omit<ReceiveOptions, 'limit'> | undefined;

  constructor(
    private readonly context: FilesContext,
    private readonly actor: Actor,
    private readonly access: ObjectAccess,
    private readonly fields: BroughtFields,
  ) {}

  /** Stores content. Throws `FilesError` 413 for what is larger than files may be. */
  async store(pieces: Iterable<Buffer>, filename: string, claimed: string): Promise<Stored> {
    const { contents, config, write } = this.context;
    this.#options ??= await receivingInto(this.context, this.actor, undefined, '');
    const { path: _, ...options } = this.#options;
    const received = await contents.receiveNew(newId(write().compactIds), each(pieces), {
      limit: largestFile(config),
      ...options,
    });
    this.#stored.push(received);
    const contentType = await detectContentType(filename, claimed, received.head);
    // Hundreds of beginnings would be much to keep, and have told what they were kept for.
    return { received: { ...received, head: Buffer.alloc(0) }, contentType };
  }

  /**
   * Decides where content goes: to this path, or, where something else is there, to one whose last names have numbers. The same content that is
   * there already, and is seen by whom the new file would be for, is that file.
   */
  async place(stored: Stored, wished: readonly string[]): Promise<Placed> {
    const { graph, schemas } = this.context;
    return graph.read(async (tx) => {
      const look = looking(tx, schemas.schema, this.access);
      let folder: Place = { path: [], node: undefined, isNew: false };
      for (const name of wished.slice(0, -1)) folder = await this.#folder(look, folder, name);
      for (const name of numbered(wished.at(-1) ?? 'file')) {
        const path = [...folder.path, name];
        const key = path.join('/');
        const mine = this.#files.get(key);
        if (mine !== undefined && sameContent(mine.received, stored.received)) return mine;
        if (mine !== undefined || this.#newFolders.has(key)) continue;
        const there = await this.#there(look, folder, name);
        if (there === undefined) {
          const file = { ...stored, id: stored.received.file, path };
          this.#files.set(key, file);
          return file;
        }
        if (await this.#isSame(look, there, stored.received)) return { id: there.id, path };
      }
      throw new FilesError(422, `There is no name left for ${wished.join('/').slice(0, 200)}.`);
    });
  }

  /** Makes the files, and the folders they lie in. Throws `FilesError` 409 where somebody else has taken a name meanwhile. */
  async make(objects: ObjectTransaction): Promise<void> {
    const folders = new Map<string, GraphNode | undefined>([['', undefined]]);
    const fields = new Map(Object.entries(this.fields).map(([key, value]) => [key, String(value)]));
    for (const { path, received, contentType } of this.#files.values()) {
      await objects.breathe();
      let folder: GraphNode | undefined;
      for (let depth = 1; depth < path.length; depth++) {
        const key = path.slice(0, depth).join('/');
        if (!folders.has(key)) {
          const made = await folderIn(this.context, objects, folder, path[depth - 1] ?? '', { ...this.fields });
          folders.set(key, mustBeNamed(made, path[depth - 1]));
        }
        folder = folders.get(key);
      }
      const arrived = { filename: path.at(-1) ?? '', claimed: '', received };
      const made = await createFile(this.context, objects, arrived, contentType, fields, folder);
      mustBeNamed(made, path.at(-1));
    }
  }

  /** After all: what has not become content of a file goes. */
  async end(): Promise<void> {
    for (const received of this.#stored) await this.context.contents.abandon(received);
  }

  async #folder(look: Looking, parent: Place, wished: string): Promise<Place> {
    const key = [...parent.path, wished].join('/');
    const known = this.#folders.get(key);
    if (known !== undefined) return known;
    for (const name of numbered(wished)) {
      const path = [...parent.path, name];
      if (this.#files.has(path.join('/'))) continue;
      const node = await this.#there(look, parent, name);
      if (node !== undefined && !(await this.#mayUse(look, node))) continue;
      const folder = { path, node, isNew: node === undefined };
      this.#folders.set(key, folder);
      if (folder.isNew) this.#newFolders.add(path.join('/'));
      return folder;
    }
    throw new FilesError(422, `There is no name left for the folder ${key.slice(0, 200)}.`);
  }

  #there({ tx, schema }: Looking, { node, isNew }: Place, name: string): Promise<GraphNode | undefined> {
    return isNew ? Promise.resolve(undefined) : childAt(tx, schema, node?.id, name);
  }

  async #mayUse(look: Looking, node: GraphNode): Promise<boolean> {
    const isFolder = look.schema.typeOf(node).hasTrait('Folder');
    return isFolder && this.#isShown(node) && (await look.may('read', node)) && (await look.may('write', node));
  }

  /** Whoever the new files are for sees this one. */
  #isShown({ properties }: GraphNode): boolean {
    const { visibleToPublicUsers, visibleToAuthenticatedUsers } = this.fields;
    return (
      (!visibleToPublicUsers || properties['visibleToPublicUsers'] === true) &&
      (!visibleToAuthenticatedUsers || properties['visibleToAuthenticatedUsers'] === true)
    );
  }

  async #isSame(look: Looking, node: GraphNode, received: Received): Promise<boolean> {
    const { properties } = node;
    // What somebody else has written is trusted less, and what is evaluated is no content.
    const isMine = properties['isTemplate'] !== true && (properties['sandboxed'] !== true || !this.actor.isAdmin);
    return (
      isMine &&
      look.schema.typeOf(node).hasTrait('File') &&
      properties['size'] === received.size &&
      properties['checksum'] === received.checksums['checksum'] &&
      this.#isShown(node) &&
      (await look.may('read', node))
    );
  }
}

function sameContent(a: Received, b: Received): boolean {
  return a.size === b.size && a.checksums['checksum'] === b.checksums['checksum'];
}

/** `a.css`, `a-2.css`, `a-3.css`, ... */
function* numbered(name: string): Generator<string, void, undefined> {
  yield name;
  const dot = name.lastIndexOf('.');
  const [base, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 2; number <= MOST_NUMBERS; number++) yield `${base}-${String(number)}${ending}`;
}

function mustBeNamed(node: GraphNode, name: string | undefined): GraphNode {
  if (node.properties['name'] === name) return node;
  throw new FilesError(409, `Somebody else has made ${name ?? ''} at the same time; try again.`);
}

async function* each(pieces: Iterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield* pieces;
}
