/** Where imported files come to lie in the tree, and what happens to what lies there. */
import type { GraphNode, ReadTransaction } from '../../../graph/index.js';
import {
  childAt,
  ObjectTransaction,
  placeOf,
  segmentsOf,
  withTime,
  type Actor,
  type Schema,
} from '../../../schema/index.js';
import type { ChecksumName } from '../../content/checksums.js';
import type { Received } from '../../content/received.js';
import type { FilesContext } from '../../context.js';
import { FilesError } from '../../errors.js';
import type { Rights } from '../../jobs/rights.js';
import { createFile } from '../../upload/new-file.js';
import { checksumsOf } from '../../upload/upload-target.js';
import { isAboutInput } from '../batch.js';
import type { Found } from './directory-walk.js';
import { through } from '../../writing.js';

/** What happens to a file that is there already. */
export type Existing = 'skip' | 'overwrite' | 'rename';

/** Content that is stored for a file of the server. */
export interface Stored {
  readonly found: Found;
  readonly received: Received;
  readonly contentType: string;
}

/** What became of one. */
export type Outcome =
  | { readonly kind: 'created' | 'overwritten' | 'renamed' | 'skipped' }
  | { readonly kind: 'failed'; readonly why: string };

/** What lies at a place now. */
export interface There {
  readonly node?: GraphNode;
  readonly problem?: string;
}

const IN_THE_WAY = 'a file has the name of one of its folders';

/** Throws `FilesError` 403. */
export function adminsOnly({ isAdmin }: Actor): void {
  if (!isAdmin) throw new FilesError(403, 'Only administrators may import files of the server.');
}

export class Placement {
  readonly #target: readonly string[];

  constructor(
    private readonly context: FilesContext,
    private readonly settings: { readonly target: string; readonly existing: Existing; readonly index: boolean },
  ) {
    this.#target = segmentsOf(settings.target);
  }

  /** Nothing is done with what is there. */
  get skips(): boolean {
    return this.settings.existing === 'skip';
  }

  /** What is there gets the content. */
  get replaces(): boolean {
    return this.settings.existing === 'overwrite';
  }

  /** The folder that everything goes to; undefined: the root of the tree. Throws `FilesError` 422 when there is none. */
  async target(tx: ReadTransaction, schema: Schema = this.context.schemas.schema): Promise<GraphNode | undefined> {
    let folder: GraphNode | undefined;
    for (const name of this.#target) {
      folder = await childAt(tx, schema, folder?.id, name, 'Folder');
      if (folder === undefined) throw new FilesError(422, `There is no folder ${this.settings.target} to import to.`);
    }
    return folder;
  }

  /** What lies where these files are to go, and the checksums that content gets there. */
  async look(
    tx: ReadTransaction,
    files: readonly Found[],
  ): Promise<(There & { readonly checksums: readonly ChecksumName[] })[]> {
    const { config, schemas } = this.context;
    const { schema } = schemas;
    const target = await this.target(tx, schema);
    const checksums = new Map<string, readonly ChecksumName[]>();
    const all = [];
    for (const { folders, name } of files) {
      let nearest = target;
      let missing = false;
      for (const folder of folders) {
        const next = await childAt(tx, schema, nearest?.id, folder, 'Folder');
        if ((missing = next === undefined)) break;
        nearest = next;
      }
      const id = nearest?.id ?? '';
      const names = checksums.get(id) ?? (await checksumsOf({ tx, schema }, config, nearest));
      checksums.set(id, names);
      all.push({ ...(missing ? {} : await this.#there(tx, schema, nearest, name)), checksums: names });
    }
    return all;
  }

  /** Makes files of what is stored: all in one transaction, or those that can be, each on its own. */
  async place({ actor, access }: Rights, files: readonly Stored[]): Promise<Outcome[]> {
    if (files.length === 0) return [];
    const { schemas } = this.context;
    const options = through('import', 'files of a directory', this.context);
    try {
      return await schemas.write(actor, access, options, async (objects) => {
        const outcomes: Outcome[] = [];
        const known: Folders = new Map();
        for (const file of files) outcomes.push(await this.#placeOne(objects, file, known));
        return outcomes;
      });
    } catch (error) {
      if (!isAboutInput(error)) throw error;
    }
    return schemas.write(actor, access, options, async ({ tx, schema }) => {
      const outcomes: Outcome[] = [];
      for (const file of files) {
        try {
          outcomes.push(
            await tx.savepoint(async () => {
              const objects = new ObjectTransaction(tx, schema, actor, access, options);
              const outcome = await this.#placeOne(objects, file, new Map());
              await objects.finish();
              return outcome;
            }),
          );
        } catch (error) {
          if (!isAboutInput(error)) throw error;
          outcomes.push({ kind: 'failed', why: error.message });
        }
      }
      return outcomes;
    });
  }

  async #placeOne(objects: ObjectTransaction, file: Stored, known: Folders): Promise<Outcome> {
    const { context, settings } = this;
    const { found, received, contentType } = file;
    const folder = await this.#folder(objects, found.folders, known);
    if (folder === 'in the way') return { kind: 'failed', why: IN_THE_WAY };
    const { node, problem } = await this.#there(objects.tx, objects.schema, folder, found.name);
    if (problem !== undefined) return { kind: 'failed', why: problem };
    if (node !== undefined) {
      if (settings.existing === 'skip') return { kind: 'skipped' };
      if (settings.existing === 'overwrite') {
        if (node.id !== received.file) return { kind: 'failed', why: 'its place was taken while it was copied' };
        await context.contents.publish(objects, node, received, {
          contentType,
          sandboxed: null,
          ...(settings.index ? {} : { indexed: false }),
        });
        return { kind: 'overwritten' };
      }
      const name = withTime(found.name, new Date(), 'end');
      await objects.update(node, { name });
      // At once: the end of the transaction is too late for the file that takes its place.
      await objects.tx.updateNode(node.id, { place: placeOf(folder?.id, name) });
    }
    const fields = new Map([['name', found.name], ...(settings.index ? [] : [['indexed', 'false'] as const])]);
    const arrived = { filename: found.name, claimed: '', received };
    await createFile(context, objects, arrived, contentType, fields, folder);
    return { kind: node === undefined ? 'created' : 'renamed' };
  }

  /** The folder for a file, made where it is missing. */
  async #folder(
    objects: ObjectTransaction,
    names: readonly string[],
    known: Folders,
  ): Promise<GraphNode | undefined | 'in the way'> {
    let at = await this.target(objects.tx, objects.schema);
    let path = '';
    for (const name of names) {
      path += `/${name}`;
      let next = known.get(path);
      if (next === undefined) {
        const there = await childAt(objects.tx, objects.schema, at?.id, name);
        if (there !== undefined && !objects.schema.typeOf(there).hasTrait('Folder')) return 'in the way';
        next = there ?? (await this.#createFolder(objects, at, name));
        known.set(path, next);
      }
      at = next;
    }
    return at;
  }

  #createFolder(objects: ObjectTransaction, parent: GraphNode | undefined, name: string): Promise<GraphNode> {
    const type = objects.schema.type('Folder');
    if (type === undefined) throw new FilesError(500, 'The schema has no type Folder.');
    return objects.create(type, parent === undefined ? { name } : { name, parent: parent.id });
  }

  async #there(tx: ReadTransaction, schema: Schema, folder: GraphNode | undefined, name: string): Promise<There> {
    const node = await childAt(tx, schema, folder?.id, name);
    if (node === undefined) return {};
    return schema.typeOf(node).hasTrait('File') ? { node } : { problem: 'a folder has its name' };
  }
}

/** Folders that a transaction knows already, by their path below the target. */
type Folders = Map<string, GraphNode>;
