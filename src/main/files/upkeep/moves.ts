/**
 * Content follows its file: when a file, a folder above it or a configuration changes so that another storage counts, the
 * content is taken there, by the coordinator, in the background. It is copied, checked and published by a commit, and the old
 * content goes after that; so a crash leaves either, and where content lies is in the graph at every moment.
 */
import { type Change, changesOf, type Graph, type GraphNode, type Notice } from '../../graph/index.js';
import { ALLOW_ALL, SYSTEM, typesOf, type SchemaService, type WriteOptions } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import type { Contents } from '../content/content.js';
import { nameOfPlace, placeOfContent, sizeOf } from '../content/place.js';
import { NOT_MOUNTED } from '../mounts/found.js';
import { CONFIGURING, isOfConfiguration, mayConcernStorage } from '../storage/definition.js';
import type { Storages } from '../storage/table.js';
import { byItself } from '../writing.js';

const log = logger('files.moves');

/** Files in a folder that are looked at together. */
const PAGE = 500;
/** Contents on their way at the same time. */
const AT_ONCE = 4;
/** Milliseconds between two lines in the log. */
const REPORT = 10_000;
/** Milliseconds until what failed is tried again. */
const AGAIN = 600_000;
const EVERYTHING = Symbol('everything');

export interface MovesParts {
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly contents: Contents;
  readonly storages: Storages;
  readonly write: () => WriteOptions;
}

/** A file whose content belongs elsewhere. */
interface Misplaced {
  readonly file: GraphNode;
  readonly store: string;
}

export class Moves {
  readonly #waiting = new Set<string | typeof EVERYTHING>();
  #signal: AbortSignal | undefined;
  #work: Promise<void> | undefined;
  #moved = 0;
  #bytes = 0;
  #failed = 0;
  #reported = 0;
  #again: NodeJS.Timeout | undefined;

  constructor(private readonly parts: MovesParts) {
    const { graph } = parts;
    graph.onCommit((changes) => {
      if (this.#signal === undefined) return;
      const { schema } = this.parts.schemas;
      for (const change of changesOf(changes, (kind) => mayConcernStorage(schema, kind))) {
        if (this.#concerns(change)) this.#add(concernedBy(change));
      }
    });
    graph.watch({
      concerns: (change) => this.#concerns(change),
      changed: (changes) => {
        if (this.#signal !== undefined) void this.#changedElsewhere(changes);
      },
    });
  }

  /** Works until the signal ends it; begins with what a crash, or another coordinator, has left. */
  begin(signal: AbortSignal): void {
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      if (this.#signal === signal) this.#signal = undefined;
      this.#waiting.clear();
    });
    this.#add(EVERYTHING);
  }

  /** Resolves when what is being moved has arrived or is given up. */
  async stop(): Promise<void> {
    this.#signal = undefined;
    this.#waiting.clear();
    await this.#work;
  }

  #concerns(change: Change): boolean {
    const { entity } = change;
    if (entity.kind === 'relationship') return CONFIGURING.has(entity.relType);
    // Whatever moves in the tree gets another place; content that came in JSON lies on this machine at first.
    if (change.verb === 'create') return entity.properties['contentKey'] !== undefined;
    return (
      change.verb === 'change' &&
      (change.key === 'place' || change.key === 'contentKey' || isOfConfiguration(this.parts.schemas.schema, entity))
    );
  }

  async #changedElsewhere(changes: Notice['changes']): Promise<void> {
    if (changes === 'everything') {
      this.#add(EVERYTHING);
      return;
    }
    for (const { kind, id } of changes) {
      if (kind === 'node') {
        this.#add(id);
        continue;
      }
      const relationship = await this.parts.graph.read((tx) => tx.relationship(id)).catch(() => undefined);
      // Of a link that is gone nobody knows whose it was.
      this.#add(relationship?.sourceId ?? EVERYTHING);
    }
  }

  #add(what: string | typeof EVERYTHING): void {
    this.#waiting.add(what);
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
    });
  }

  async #run(): Promise<void> {
    // After the commit that this follows from has ended.
    await new Promise((resolve) => setImmediate(resolve));
    const { storages } = this.parts;
    this.#moved = this.#bytes = this.#failed = 0;
    this.#reported = Date.now();
    let failures = false;
    for (const what of this.#waiting) {
      this.#waiting.delete(what);
      try {
        if (!(await storages.anyConfigured())) continue;
        await (what === EVERYTHING ? this.#moveEverything() : this.#moveBelow(what));
      } catch (error) {
        failures = true;
        log.warn('it could not be found out which content is to be moved; trying again later', error);
      }
    }
    if (this.#moved + this.#failed > 0) this.#report('moved');
    if (failures || this.#failed > 0) this.#lookAgain();
  }

  /** A storage that fails now may work later. */
  #lookAgain(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => {
      if (this.#signal !== undefined) this.#add(EVERYTHING);
    }, AGAIN);
    this.#again.unref();
  }

  async #moveEverything(): Promise<void> {
    const { graph, schemas, storages } = this.parts;
    for (const configuration of await storages.names()) if (configuration !== '') await this.#moveBelow(configuration);
    // Content that lies in a storage and is below no folder of its any more.
    const misplaced = await graph.read(async (tx) => {
      const found: string[] = [];
      const known = new Map<string, string | undefined>();
      const where = { op: 'contains', key: 'contentKey', value: ':' } as const;
      const files = { kind: 'nodes', trait: 'File', ...typesOf(schemas.schema, 'File'), where } as const;
      for await (const batch of tx.stream(files)) {
        const ids = batch.map(({ id }) => id);
        const configured = await storages.configurationsOf(tx, ids, known);
        for (const [i, file] of batch.entries()) if (configured[i] !== placeOfContent(file).store) found.push(file.id);
      }
      return found;
    });
    for (const id of misplaced) await this.#moveBelow(id);
  }

  /** Moves what is misplaced of a file, of all in a folder, or of all that a configuration counts for. */
  async #moveBelow(id: string): Promise<void> {
    const onTheWay = new Set<Promise<void>>();
    for await (const misplaced of this.#misplaced(id)) {
      while (onTheWay.size >= AT_ONCE) await Promise.race(onTheWay);
      if (this.#signal === undefined) break;
      const moving = this.#move(misplaced).finally(() => onTheWay.delete(moving));
      onTheWay.add(moving);
      if (Date.now() - this.#reported > REPORT) this.#report('moving:');
    }
    await Promise.all(onTheWay);
  }

  async *#misplaced(id: string): AsyncGenerator<Misplaced, void, undefined> {
    const { graph, schemas, storages } = this.parts;
    const { schema } = schemas;
    const begin = await graph.read(async (tx) => {
      const node = await tx.node(id);
      if (node === undefined) return [];
      const type = schema.typeOf(node);
      if (type.hasTrait('AbstractFile')) return [node];
      const step = (relType: string) => ({ relType, direction: 'in' }) as const;
      const [above = []] = await tx.related([id], step('CONFIG_ENTRY'), 1);
      return (await tx.related([id, ...above.map((one) => one.id)], step('CONFIGURED_BY'))).flat();
    });
    for (const node of begin) {
      const configuration = await graph.read((tx) => storages.configurationOf(tx, node.id));
      const stack = [{ node, store: await this.#storeOf(configuration) }];
      for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
        const { store } = next;
        if (store === undefined) continue;
        if (!schema.typeOf(next.node).hasTrait('Folder')) {
          if (isMisplaced(next.node, store)) yield { file: next.node, store };
          continue;
        }
        for (let offset = 0; this.#signal !== undefined; offset += PAGE) {
          const [children, own] = await this.#childrenOf(next.node.id, offset);
          for (const [i, child] of children.entries()) {
            const its = own[i] === undefined ? store : await this.#storeOf(own[i]);
            if (schema.typeOf(child).hasTrait('Folder')) stack.push({ node: child, store: its });
            else if (its !== undefined && isMisplaced(child, its)) yield { file: child, store: its };
          }
          if (children.length < PAGE) break;
        }
      }
    }
  }

  #childrenOf(folder: string, offset: number): Promise<[GraphNode[], (string | undefined)[]]> {
    const { graph, schemas, storages } = this.parts;
    const types = typesOf(schemas.schema, 'AbstractFile');
    return graph.read(async (tx) => {
      const step = { relType: 'CONTAINS', direction: 'out', ...types } as const;
      const query = { kind: 'nodes', trait: 'AbstractFile', ...types, from: { id: folder, step } } as const;
      const children = await tx.find({ ...query, offset, limit: PAGE });
      const ids = children.map(({ id }) => id);
      return [children, await storages.ownConfigurations(tx, ids)];
    });
  }

  /** Undefined: what is configured cannot be used, or not be written to, so that all content stays where it is. */
  async #storeOf(configuration: string | undefined): Promise<string | undefined> {
    const { storages } = this.parts;
    try {
      const store = await storages.nameOf(configuration);
      return (await storages.get(store)).readOnly === true ? undefined : store;
    } catch {
      return undefined;
    }
  }

  async #move({ file, store }: Misplaced): Promise<void> {
    const { contents, graph, schemas, storages } = this.parts;
    const isExternal = file.properties['isExternal'] === true;
    try {
      // What was found in a directory that is mounted no more leaves the tree, not the directory.
      const at = isExternal ? await graph.read((tx) => storages.mountOf(tx, file)) : undefined;
      if (isExternal && at?.configuration !== placeOfContent(file).store) return;
      const received = await contents.copy(file, store);
      try {
        const published = await schemas.write(
          SYSTEM,
          ALLOW_ALL,
          byItself('content moves', this.parts),
          async ({ tx }) => {
            const now = await tx.node(file.id);
            // Whoever replaced the content meanwhile has put it where it belongs.
            if (now === undefined || now.properties['contentKey'] !== file.properties['contentKey']) return false;
            const contentKey = nameOfPlace(received);
            await tx.updateNode(file.id, isExternal ? { contentKey, ...NOT_MOUNTED } : { contentKey });
            return true;
          },
        );
        if (!published) {
          await contents.discard(received);
          return;
        }
      } catch (error) {
        await contents.abandon(received);
        throw error;
      }
      this.#moved++;
      this.#bytes += received.size;
    } catch (error) {
      this.#failed++;
      log.warn(`the content of file ${file.id} stays where it is: ${error instanceof Error ? error.message : ''}`);
    }
  }

  #report(what: string): void {
    this.#reported = Date.now();
    const megabytes = (this.#bytes / 1_048_576).toFixed(1);
    const failed = this.#failed === 0 ? '' : `; ${String(this.#failed)} could not be moved, trying again later`;
    log.info(`${what} the content of ${String(this.#moved)} files (${megabytes} MB) to other storages${failed}`);
  }
}

function isMisplaced(file: GraphNode, store: string): boolean {
  if (file.properties['contentKey'] === undefined && sizeOf(file) === 0) return false;
  return placeOfContent(file).store !== store;
}

/** The file, folder or configuration from which on content may be misplaced after a change. */
function concernedBy({ entity }: Change): string {
  return entity.kind === 'node' ? entity.id : entity.sourceId;
}
