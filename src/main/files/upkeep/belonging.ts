/**
 * Whether the database and the content in `files.path` belong together. Each names the other: the database has an identity, the
 * folder a mark with it and with the number of a commit that the database must have. Content that the database does not know is swept away: so a
 * server does not start beside content of another database, or of an older state of its own (docs/storage.md).
 */
import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, stat } from 'node:fs/promises';
import type { Config } from '../../config/index.js';
import { type Change, type ChangeKind, changesOf, type Graph } from '../../graph/index.js';
import { type Schema, type SchemaService, typesOf } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import { placeOfContent, sizeOf } from '../content/place.js';
import { LocalStorage } from '../storage/local/local.js';
import { MARK, readMark, writeMark, type StoreMark } from './store-mark.js';

const log = logger('files');

const IDENTITY = 'identity';
/** Milliseconds after content was published until the mark says so. */
const LATER = 10_000;
/** Milliseconds of silence after which another instance counts as gone. */
const ALIVE = 30_000;
/** Files that are looked at for one with content here. */
const MOST_LOOKS = 50_000;

export type BelongingErrorCode = 'mismatch' | 'not_writable' | 'full';

/** Why a server does not start: one line with what to do. */
export class BelongingError extends Error {
  override readonly name = 'BelongingError';
  constructor(
    readonly code: BelongingErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface BelongingParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
}

export class Belonging {
  #published = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #stopped = false;

  private constructor(
    private readonly graph: Graph,
    schemas: SchemaService,
    private readonly root: string,
    private readonly identity: string,
    /** Nobody but an operator says that they belong together: nothing is removed on his word alone. */
    private readonly overridden: boolean,
  ) {
    graph.onCommit((changes) => {
      if (this.#published || !changesOf(changes, (kind) => mayPublish(schemas.schema, kind)).some(publishes)) return;
      this.#published = true;
      this.#later();
    });
  }

  /** Before anything is written. Throws `BelongingError`. */
  static async check({ config, graph, schemas }: BelongingParts): Promise<Belonging> {
    const root = config.path('files.path');
    const local = new LocalStorage(root);
    try {
      await makeSure(root);
      const known = await graph.notes.get(IDENTITY);
      const problem = await problemOf({ graph, schemas, root, local, known });
      if (problem !== undefined && !config.get('files.identity.override')) {
        const anyway = 'or, if they do belong together, set files.identity.override = true for one start';
        throw new BelongingError('mismatch', `${problem}: restore the one that is missing or wrong, ${anyway}.`);
      }
      const identity = known ?? (await graph.notes.claim(IDENTITY, randomUUID()));
      const mark = problem === undefined ? await readMark(root) : undefined;
      // One of another database, where nothing lies any more, says nothing.
      const holds = mark?.database === identity && mark.commit <= graph.commitNumber;
      if (!holds) await writeMark(root, { database: identity, commit: graph.commitNumber });
      if (problem !== undefined) {
        log.warn(`${problem}: they belong together from now on (files.identity.override, which is to be removed now)`);
      }
      return new Belonging(graph, schemas, root, identity, problem !== undefined);
    } catch (error) {
      throw described(error, root);
    }
  }

  /** Whether content may be removed because the database does not know it, as things are now. */
  async agrees(): Promise<boolean> {
    if (this.overridden) return false;
    const [mark, known] = await Promise.all([readMark(this.root), this.graph.notes.get(IDENTITY)]);
    return mark?.database === this.identity && known === this.identity && mark.commit <= this.graph.commitNumber;
  }

  /** After the last write: the mark says what has been published. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#writing;
    if (this.#published) await this.#note();
  }

  #later(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#writing = this.#note();
    }, LATER);
    this.#timer.unref();
  }

  async #note(): Promise<void> {
    this.#published = false;
    const commit = this.graph.commitNumber;
    try {
      // Not before the database is sure to have it.
      await this.graph.durable();
      const mark = await readMark(this.root);
      // Another instance may be ahead; a folder that has become another one is not ours to mark.
      if (mark?.database === this.identity && mark.commit < commit) await writeMark(this.root, { ...mark, commit });
    } catch (error) {
      log.warn(`${MARK} in files.path could not be written: ${String(error)}`);
      this.#published = true;
      this.#later();
    }
  }
}

function mayPublish(schema: Schema, { kind, verb, type, key }: ChangeKind): boolean {
  if (kind !== 'node') return false;
  return verb === 'create' ? schema.typeOf({ kind, type }).hasTrait('AbstractFile') : key === 'contentKey';
}

function publishes({ entity, ...change }: Change): boolean {
  if (entity.kind !== 'node') return false;
  return change.verb === 'create'
    ? 'contentKey' in entity.properties
    : change.verb === 'change' && change.key === 'contentKey';
}

interface Looked {
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly root: string;
  readonly local: LocalStorage;
  readonly known: string | undefined;
}

/** The beginning of a sentence that says what does not fit; undefined: all does. */
async function problemOf({ graph, schemas, root, local, known }: Looked): Promise<string | undefined> {
  let mark: StoreMark | undefined;
  try {
    mark = await readMark(root);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `${MARK} in files.path (${root}) cannot be read, so that nobody knows which database the content belongs to`;
  }
  if (!(await hasContent(local))) {
    // Whatever was here, there is nothing to be lost; but the database may miss it.
    if (!(await needsContent(graph, schemas))) return undefined;
    if (await isElsewhere(graph, mark, known)) return undefined;
    return `the database has files with content, and files.path (${root}) has none`;
  }
  if (mark === undefined) {
    if (known === undefined && (await needsContent(graph, schemas))) return undefined;
    const database = known === undefined ? 'the database knows no file with content' : `${MARK} is missing`;
    return `files.path (${root}) has content, and ${database}`;
  }
  if (known === undefined)
    return `files.path (${root}) has the content of a database, and this database has no identity: it is new, or older`;
  if (mark.database !== known) return `files.path (${root}) has the content of another database`;
  if (mark.commit <= graph.commitNumber) return undefined;
  const commits = `it is at commit ${String(graph.commitNumber)}, the content at ${String(mark.commit)}`;
  return `the database is older than the content in files.path (${root}): ${commits}`;
}

/** Instances on one database may have folders of their own: one that has nothing yet is no sign of a loss. */
async function isElsewhere(graph: Graph, mark: StoreMark | undefined, known: string | undefined): Promise<boolean> {
  if (graph.membership === undefined) return false;
  if (mark !== undefined && mark.database === known) return true;
  return (await graph.membership.members()).some(({ self, silentFor }) => !self && silentFor < ALIVE);
}

async function hasContent(local: LocalStorage): Promise<boolean> {
  for await (const one of local.list()) return one.file !== '';
  return false;
}

/** Whether any file has content on this machine. */
async function needsContent(graph: Graph, schemas: SchemaService): Promise<boolean> {
  return graph.read(
    async (tx) => {
      const files = { kind: 'nodes', trait: 'File', ...typesOf(schemas.schema, 'File'), limit: MOST_LOOKS } as const;
      for await (const batch of tx.stream(files)) {
        for (const file of batch) {
          const { isExternal } = file.properties;
          if (sizeOf(file) > 0 && placeOfContent(file).store === '' && isExternal !== true) return true;
        }
      }
      return false;
    },
    { timeout: 0 },
  );
}

/** The folder, which can be written. */
async function makeSure(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o750 });
  if (!(await stat(root)).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
}

function described(error: unknown, root: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new BelongingError('full', `There is no space left for files.path (${root}): free some.`, {
        cause: error,
      });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new BelongingError(
        'not_writable',
        `files.path (${root}) cannot be written: it must belong to the user of the server.`,
        {
          cause: error,
        },
      );
    // A link that leads nowhere is there, and what it leads to is not.
    case 'ENOENT':
    case 'ELOOP':
    case 'EEXIST':
    case 'ENOTDIR':
      return new BelongingError(
        'not_writable',
        `files.path (${root}) is not a folder, or lies below a file or a link that leads nowhere.`,
        { cause: error },
      );
    default:
      return error;
  }
}
