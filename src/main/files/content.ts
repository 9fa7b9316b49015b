/**
 * The content of files, between storage and graph: bytes come in before the transaction that publishes them and go after
 * the commit that has no use for them any more.
 */
import type { Change, Graph, GraphNode, PropertyChanges } from '../graph/index.js';
import { randomBytes } from 'node:crypto';
import type { ObjectTransaction, SchemaService } from '../schema/index.js';
import { logger } from '../../shared/log.js';
import { Checksums, type ChecksumName } from './checksums.js';
import { HEAD_BYTES } from './content-type.js';
import { FilesError } from './errors.js';
import type { ByteRange, ContentId } from './storage/storage.js';
import type { Storages } from './storage/table.js';

const log = logger('files.content');

/** Contents removed at the same time. */
const REMOVING = 4;

/** Where content lies, as the file says. */
export interface Place extends ContentId {
  /** Name of the storage; empty: the one of this machine. */
  readonly store: string;
}

/** Content that is stored and durable, and not yet any file's. */
export interface Received extends Place {
  readonly size: number;
  /** Properties of the file: its checksums. */
  readonly checksums: PropertyChanges;
  /** The first bytes. */
  readonly head: Buffer;
}

export interface ReceiveOptions {
  /** Bytes; more end with `FilesError` 413. */
  readonly limit: number;
  readonly checksums: readonly ChecksumName[];
  /** Storage to write to; absent: this machine's. */
  readonly store?: string;
}

/** The size of a file's content in bytes; files that never had any have none. */
export function sizeOf(node: GraphNode): number {
  const { size } = node.properties;
  return typeof size === 'number' && size > 0 ? size : 0;
}

/** Where a file's content lies. */
export function placeOfContent(node: GraphNode): Place {
  return placeNamed(node.id, node.properties['contentKey']);
}

/** `contentKey` of a file: key, and behind a colon the storage when it is not that of this machine. */
function placeNamed(file: string, contentKey: unknown): Place {
  const [key = '', store = ''] = typeof contentKey === 'string' ? contentKey.split(':') : [];
  return { file, key, store };
}

function nameOfPlace({ key, store }: Place): string | null {
  if (store !== '') return `${key}:${store}`;
  return key === '' ? null : key;
}

/** One that no other content of a file has. */
function newKey(): string {
  return randomBytes(8).toString('hex');
}

export class Contents {
  readonly #rubbish: Place[] = [];
  #removing = 0;

  constructor(
    graph: Graph,
    private readonly schemas: SchemaService,
    private readonly storages: Storages,
  ) {
    graph.onCommit((changes) => {
      for (const change of changes) this.#committed(change);
    });
  }

  /** Stores the content of a new file, which will have this id. */
  receiveNew(file: string, bytes: AsyncIterable<Buffer>, options: ReceiveOptions): Promise<Received> {
    return this.#receive({ file, key: newKey(), store: options.store ?? '' }, bytes, options);
  }

  /** Stores content beside what a file has. */
  receive(node: GraphNode, bytes: AsyncIterable<Buffer>, options: ReceiveOptions): Promise<Received> {
    return this.#receive({ file: node.id, key: newKey(), store: options.store ?? '' }, bytes, options);
  }

  /** Removes content that was received and not published. */
  discard(received: Place): Promise<void> {
    return this.#remove(received);
  }

  /** What a file becomes with this content. `before`: what it was; absent: it is new. */
  published(received: Received, before?: GraphNode): PropertyChanges {
    const version = before?.properties['version'];
    return {
      ...received.checksums,
      size: received.size,
      contentKey: nameOfPlace(received),
      version: (typeof version === 'number' ? version : 0) + 1,
      fileModificationDate: Date.now(),
    };
  }

  /** Makes content that of a file that is there; it must be its `update` that the actor may do. */
  async publish(objects: ObjectTransaction, node: GraphNode, received: Received, more: PropertyChanges = {}): Promise<void> {
    const changes = { ...this.published(received, node), ...more };
    objects.stamp(changes, false);
    await objects.tx.updateNode(node.id, changes);
    objects.touch(node.id);
  }

  /** The bytes of a file in order. Throws `FilesError`. */
  read(node: GraphNode, range: ByteRange = { from: 0, to: sizeOf(node) }, signal?: AbortSignal): AsyncIterable<Buffer> {
    const place = placeOfContent(node);
    return this.storages.get(place.store).read(place, range, signal);
  }

  /** The same for who is done with a piece before it asks for the next: its memory is used again then. */
  stream(node: GraphNode, range: ByteRange, signal?: AbortSignal): AsyncIterable<Buffer> {
    const place = placeOfContent(node);
    return this.storages.get(place.store).read(place, range, signal, true);
  }

  /** The whole of a small file. */
  async readWhole(node: GraphNode): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.read(node)) pieces.push(piece);
    return pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces);
  }

  /** Resolves when nothing waits to be removed. */
  async idle(): Promise<void> {
    while (this.#removing > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async #receive(place: Place, bytes: AsyncIterable<Buffer>, { limit, checksums }: ReceiveOptions): Promise<Received> {
    const writer = await this.storages.get(place.store).write(place);
    const sums = new Checksums(checksums);
    const head: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of bytes) {
        if (size < HEAD_BYTES) head.push(chunk.subarray(0, HEAD_BYTES - size));
        size += chunk.length;
        if (size > limit) throw new FilesError(413, `The file is larger than ${String(limit)} bytes.`);
        sums.update(chunk);
        await writer.write(chunk);
      }
      await writer.finish();
    } catch (error) {
      await writer.discard();
      throw error;
    }
    return { ...place, size, checksums: sums.values(), head: Buffer.concat(head) };
  }

  /** What nobody can reach any more goes. */
  #committed(change: Change): void {
    const { entity } = change;
    if (entity.kind !== 'node') return;
    let gone: Place;
    if (change.verb === 'delete') gone = placeOfContent(entity);
    else if (change.verb === 'change' && change.key === 'contentKey') gone = placeNamed(entity.id, change.previous);
    else return;
    if (this.#isFile(entity) && entity.properties['isExternal'] !== true) this.#throwAway(gone);
  }

  #isFile(node: GraphNode): boolean {
    return this.schemas.schema.typeOf(node).hasTrait('File');
  }

  #throwAway(place: Place): void {
    this.#rubbish.push(place);
    if (this.#removing < REMOVING) void this.#clear();
  }

  async #clear(): Promise<void> {
    this.#removing++;
    for (let next = this.#rubbish.pop(); next !== undefined; next = this.#rubbish.pop()) {
      // What stays behind is found by the next sweep.
      await this.#remove(next).catch((error: unknown) => {
        log.warn('content of a file that is gone could not be removed', error);
      });
    }
    this.#removing--;
  }

  async #remove(place: Place): Promise<void> {
    await this.storages.get(place.store).remove(place);
  }
}
