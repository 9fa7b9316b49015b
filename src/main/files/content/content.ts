/**
 * The content of files, between storage and graph: bytes come in before the transaction that publishes them and go after
 * the commit that has no use for them any more.
 */
import { createReadStream } from 'node:fs';
import {
  changesOf,
  newId,
  type Change,
  type Graph,
  type GraphNode,
  type PropertyChanges,
  type ReadTransaction,
  type StoredValue,
} from '../../graph/index.js';
import { mayReplaceContent, type ObjectTransaction, type SchemaService, type Type } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import { Appends, appendWriter, RunningSums } from './append.js';
import { CHECKSUM_NAMES, Checksums, type ChecksumName } from './checksums.js';
import { HEAD_BYTES } from './content-type.js';
import { FilesError } from '../errors.js';
import { HashThreads } from './hash-threads.js';
import { nameIn, nameOfPlace, placeNamed, placeOfContent, samePlace, sizeOf, type Place } from './place.js';
import { onlyChecksums, type FactsPlace, type Received, type ReceiveOptions } from './received.js';
import { Rubbish } from './rubbish.js';
import { mayConcernStorage } from '../storage/definition.js';
import type { ByteRange, ContentWriter, Storage } from '../storage/storage.js';
import type { Storages } from '../storage/table.js';

const log = logger('files.content');

/** One that no other content of a file has. */
function newKey(): string {
  return newId().slice(16);
}

/** Takes bytes that lie where they are to lie. */
const ALREADY_THERE = { write: () => Promise.resolve(), finish: () => Promise.resolve() };

/** Bytes of a file of this machine. */
function piecesOf(path: string): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: 256 * 1024 });
}

/** Reads of the graph, or of a transaction. */
export type Reading = <T>(work: (tx: ReadTransaction) => Promise<T>) => Promise<T>;

export class Contents {
  readonly #rubbish: Rubbish;
  readonly #threads = new HashThreads();
  readonly #appends = new Appends();
  /** Names of contents that have arrived, or are arriving, and may still be published. */
  readonly #pending = new Set<string>();

  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
    private readonly storages: Storages,
    private readonly facts: FactsPlace,
  ) {
    this.#rubbish = new Rubbish(graph, (place) => this.discard(place));
    graph.onCommit((changes) => {
      const { schema } = this.schemas;
      for (const change of changesOf(changes, (kind) => mayConcernStorage(schema, kind))) this.#committed(change);
    });
  }

  /** Stores the content of a new file, which will have this id. */
  receiveNew(file: string, bytes: AsyncIterable<Buffer>, options: ReceiveOptions): Promise<Received> {
    return this.#receive({ file, key: newKey(), store: options.store ?? '' }, bytes, options);
  }

  /** Makes a synced file of this machine the content of a new file, without copying where its storage can. */
  async adopt(file: string, path: string, options: ReceiveOptions): Promise<Received> {
    const place: Place = { file, key: newKey(), store: options.store ?? '' };
    const storage = await this.storages.get(place.store);
    this.#pending.add(nameIn(place));
    try {
      if ((await storage.adopt?.(place, path)) !== true) return await this.#receive(place, piecesOf(path), options);
      return await this.#received(place, piecesOf(path), options, ALREADY_THERE);
    } catch (error) {
      await this.discard(place);
      throw error;
    }
  }

  /** Stores content beside what a file has. */
  async receive(node: GraphNode, bytes: AsyncIterable<Buffer>, options: ReceiveOptions): Promise<Received> {
    const store = options.store ?? (await this.graph.read((tx) => this.storages.nameFor(tx, node)));
    return this.#receive({ file: node.id, key: newKey(), store }, bytes, options);
  }

  /** Takes content that was received, and is not published yet, to another storage. */
  async relocate(received: Received, store: string, path?: string): Promise<Received> {
    const bytes = this.readPlace(received, { from: 0, to: received.size });
    const place = { file: received.file, key: newKey(), store };
    const options = { limit: received.size, checksums: [], ...(path === undefined ? {} : { path }) };
    const { size, checksums } = await this.#receive(place, bytes, options);
    const relocated = { ...received, ...place };
    if (size !== received.size || checksums['checksum'] !== received.checksums['checksum']) {
      await this.discard(relocated);
      throw new FilesError(500, 'The content changed on its way to its storage.');
    }
    await this.discard(received);
    return relocated;
  }

  /** Stores a copy of a file's content elsewhere; what arrives there is what the file says. */
  async copy(node: GraphNode, store: string): Promise<Received> {
    const size = sizeOf(node);
    const received = await this.receive(node, this.read(node), { limit: size, checksums: [], store });
    const { checksum } = node.properties;
    if (received.size === size && (checksum === undefined || checksum === received.checksums['checksum'])) {
      return received;
    }
    await this.discard(received);
    throw new FilesError(500, `The content of file ${node.id} is not what its size and checksum say.`);
  }

  /** Content that was received, with checksums of these names: what was not computed on its way in is computed now. */
  async withChecksums(received: Received, names: readonly ChecksumName[]): Promise<Received> {
    const missing = names.filter((name) => !(name in received.checksums));
    if (missing.length === 0) return onlyChecksums(received, names);
    const bytes = this.readPlace(received, { from: 0, to: received.size });
    const computed = await this.sum(bytes, missing);
    return onlyChecksums({ ...received, checksums: { ...received.checksums, ...computed } }, names);
  }

  /** Checksums of bytes: xxHash, and those of these names. */
  async sum(bytes: AsyncIterable<Buffer>, names: readonly ChecksumName[]): Promise<Record<string, StoredValue>> {
    const sums = new Checksums(names, this.#threads);
    try {
      for await (const piece of bytes) await sums.update(piece);
      return await sums.values();
    } catch (error) {
      sums.drop();
      throw error;
    }
  }

  /**
   * Stores what a file has with more behind it, and has `publish` make that its content; see `append.ts`. What it has is
   * neither copied nor read again where its storage is a folder, except for the checksums at the first time. `reading`: how
   * the file is read, where a transaction may have written it.
   */
  append<T>(
    file: string,
    bytes: Iterable<Buffer>,
    options: ReceiveOptions,
    publish: (received: Received, before: GraphNode) => Promise<T>,
    reading: Reading = (work) => this.graph.read(work),
  ): Promise<T> {
    return this.#appends.alone(file, async () => {
      const node = await reading((tx) => tx.node(file));
      if (node === undefined) throw new FilesError(404, `No file with UUID ${file} found.`);
      const received = await this.#appended(node, bytes, options);
      try {
        const result = await publish(received, node);
        // Until the old name has gone the next append would have to copy.
        await this.idle();
        return result;
      } catch (error) {
        await this.abandon(received);
        throw error;
      }
    });
  }

  /** Removes content that was received and not published; what cannot be removed now is left to the sweep. */
  async discard(received: Place): Promise<void> {
    await this.#remove(received).catch((error: unknown) => {
      log.warn('content that nobody needs could not be removed', error);
    });
    this.#pending.delete(nameIn(received));
  }

  /** Whether content that no file has yet may still become that of one. */
  isPending(place: Place): boolean {
    return this.#pending.has(nameIn(place));
  }

  /**
   * Removes content whose transaction failed, unless it was published all the same: an error of a commit does not always
   * mean that nothing was committed. In doubt it stays for the sweep.
   */
  async abandon(received: Place): Promise<void> {
    try {
      const node = await this.graph.read((tx) => tx.node(received.file));
      if (node === undefined || !samePlace(placeOfContent(node), received)) await this.#remove(received);
    } catch (error) {
      log.warn('content whose transaction failed is left to the sweep', error);
    }
    this.#pending.delete(nameIn(received));
  }

  /** What a file of this type becomes with this content. `before`: what it was; absent: it is new. */
  published(received: Received, type: Type, before?: GraphNode): PropertyChanges {
    const version = before?.properties['version'];
    // Checksums of the content before say nothing about this one.
    const none = Object.fromEntries(CHECKSUM_NAMES.map((name) => [name, null]));
    return {
      ...none,
      ...received.checksums,
      // Of type File are images only until the end of the transaction.
      ...(type.hasTrait('Image') || type.name === 'File' ? { ...this.outdated(before), ...received.facts } : {}),
      size: received.size,
      contentKey: nameOfPlace(received),
      version: (typeof version === 'number' ? version : 0) + 1,
      fileModificationDate: Date.now(),
    };
  }

  /** What a file has by its content, and has no more when it gets other content. */
  outdated(before: GraphNode | undefined): PropertyChanges {
    const keys = this.facts.keys.filter((key) => before?.properties[key] !== undefined);
    return Object.fromEntries(keys.map((key) => [key, null]));
  }

  /** Makes content that of a file that is there; it must be its `update` that the actor may do. */
  async publish(
    objects: ObjectTransaction,
    node: GraphNode,
    received: Received,
    more: PropertyChanges = {},
  ): Promise<void> {
    mayReplaceContent(objects, node);
    const changes = { ...this.published(received, objects.schema.typeOf(node), node), ...more };
    objects.stamp(changes, false);
    await objects.tx.updateNode(node.id, changes);
    objects.touch(node.id);
  }

  /** The bytes of a file in order. Throws `FilesError`. */
  read(node: GraphNode, range: ByteRange = { from: 0, to: sizeOf(node) }, signal?: AbortSignal): AsyncIterable<Buffer> {
    return this.readPlace(placeOfContent(node), range, signal);
  }

  /** The same for who is done with a piece before it asks for the next: its memory is used again then. */
  stream(node: GraphNode, range: ByteRange, signal?: AbortSignal): AsyncIterable<Buffer> {
    return this.readPlace(placeOfContent(node), range, signal, true);
  }

  /** The whole of a small file. */
  async readWhole(node: GraphNode): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.read(node)) pieces.push(piece);
    return pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces);
  }

  /** No content that files have no use for any more is removed for so many milliseconds: somebody copies what there is. */
  keep(milliseconds: number): void {
    this.#rubbish.keep(milliseconds);
  }

  /** Resolves when nothing waits to be removed. */
  idle(): Promise<void> {
    return this.#rubbish.idle();
  }

  /** The bytes of any content. */
  readPlace(place: Place, range: ByteRange, signal?: AbortSignal, reused = false): AsyncIterable<Buffer> {
    const storage = this.storages.get(place.store);
    if (!(storage instanceof Promise)) return storage.read(place, range, signal, reused);
    return readLater(storage, place, range, signal, reused);
  }

  async #appended(node: GraphNode, bytes: Iterable<Buffer>, options: ReceiveOptions): Promise<Received> {
    const before = placeOfContent(node);
    const place = { ...before, key: newKey() };
    let size = sizeOf(node);
    const storage = await this.storages.get(before.store);
    const writer = await appendWriter(storage, before, place, size, this.graph.membership !== undefined);
    if (writer === undefined) return this.receive(node, joined(this.read(node), bytes), options);
    this.#pending.add(nameIn(place));
    try {
      // Of images: what they are has to be looked at again.
      const head = await this.#headOf(node);
      let sums = this.#appends.take(node.id, `${before.key} ${String(size)}`, options.checksums);
      if (sums === undefined) {
        sums = new RunningSums(options.checksums);
        for await (const piece of this.read(node)) sums.update(piece);
      }
      for (const chunk of bytes) {
        size += chunk.length;
        if (size > options.limit) throw new FilesError(413, `The file is larger than ${String(options.limit)} bytes.`);
        sums.update(chunk);
        await writer.write(chunk);
      }
      await writer.finish();
      this.#appends.keep(node.id, `${place.key} ${String(size)}`, sums);
      return await this.#known({ ...place, size, checksums: sums.values(), head });
    } catch (error) {
      await writer.discard();
      this.#pending.delete(nameIn(place));
      throw error;
    }
  }

  async #receive(place: Place, bytes: AsyncIterable<Buffer>, options: ReceiveOptions): Promise<Received> {
    const { path } = options;
    // Before the first byte: what a sweep finds may be ours.
    this.#pending.add(nameIn(place));
    let writer: ContentWriter | undefined;
    try {
      const storage = await this.storages.get(place.store);
      writer = await storage.write(place, path === undefined ? {} : { path });
      return await this.#received(place, bytes, options, writer);
    } catch (error) {
      await writer?.discard();
      this.#pending.delete(nameIn(place));
      throw error;
    }
  }

  async #received(
    place: Place,
    bytes: AsyncIterable<Buffer>,
    { limit, checksums, facts }: ReceiveOptions,
    writer: Pick<ContentWriter, 'write' | 'finish'>,
  ): Promise<Received> {
    const sums = new Checksums(checksums, this.#threads);
    const head: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of bytes) {
        // A copy: what is kept until the end must not keep whole chunks.
        if (size < HEAD_BYTES) head.push(Buffer.from(chunk.subarray(0, HEAD_BYTES - size)));
        size += chunk.length;
        if (size > limit) throw new FilesError(413, `The file is larger than ${String(limit)} bytes.`);
        await sums.update(chunk);
        await writer.write(chunk);
      }
      const [values] = await Promise.all([sums.values(), writer.finish()]);
      const received = { ...place, size, checksums: values, head: Buffer.concat(head) };
      return facts === undefined ? await this.#known(received) : { ...received, facts };
    } catch (error) {
      sums.drop();
      throw error;
    }
  }

  /** The first bytes of an image; of other files none. */
  async #headOf(node: GraphNode): Promise<Buffer> {
    const to = Math.min(sizeOf(node), HEAD_BYTES);
    if (to === 0 || !this.schemas.schema.typeOf(node).hasTrait('Image')) return Buffer.alloc(0);
    const pieces: Buffer[] = [];
    for await (const piece of this.read(node, { from: 0, to })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** With what images have. */
  async #known(received: Received): Promise<Received> {
    const finding = this.facts.of?.(received, received.head, received.size);
    if (finding === undefined) return received;
    const facts = await finding;
    return facts === undefined ? received : { ...received, facts };
  }

  /** What nobody can reach any more goes. */
  #committed(change: Change): void {
    const { entity } = change;
    if (entity.kind !== 'node') return;
    if (this.#pending.size > 0) this.#pending.delete(nameIn(placeOfContent(entity)));
    let gone: Place;
    if (change.verb === 'delete') gone = placeOfContent(entity);
    else if (change.verb === 'change' && change.key === 'contentKey') gone = placeNamed(entity.id, change.previous);
    else return;
    if (this.#isFile(entity) && entity.properties['isExternal'] !== true) this.#rubbish.add(gone);
  }

  #isFile(node: GraphNode): boolean {
    return this.schemas.schema.typeOf(node).hasTrait('File');
  }

  async #remove(place: Place): Promise<void> {
    await (await this.storages.get(place.store)).remove(place);
  }
}

async function* joined(
  before: AsyncIterable<Buffer>,
  bytes: Iterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  yield* before;
  yield* bytes;
}

async function* readLater(
  storage: Promise<Storage>,
  place: Place,
  range: ByteRange,
  signal: AbortSignal | undefined,
  reused: boolean,
): AsyncGenerator<Buffer, void, undefined> {
  yield* (await storage).read(place, range, signal, reused);
}
