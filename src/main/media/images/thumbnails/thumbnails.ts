/**
 * Thumbnails: found with their image, else made, by the service itself and once however many ask (contract, File and Folder;
 * docs/interface/media.md 2.2; docs/design/media.md 4).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphEntity, GraphNode, ReadTransaction } from '../../../graph/index.js';
import { FilesError, sizeOf, type Within } from '../../../files/index.js';
import type { Computed, ComputeContext, PropertyDefinition } from '../../../schema/index.js';
import { logger } from '../../../../shared/log.js';
import { shortWork, WorkError, type Priority } from '../../../../shared/work/index.js';
import type { ImageOutput } from '../../../../workers/media/make-image.js';
import type { MediaContext } from '../../context.js';
import { MediaError } from '../../errors.js';
import { contentName } from '../../processing/content-name.js';
import { CONTENT_TYPES } from '../formats.js';
import { makeImages } from '../make.js';
import type { Missing, Wanted } from './missing.js';
import { Publishing, type Prepared } from './publish.js';
import { checkWish, isCurrent, keyOf, linkedTo, ofSize, wishOf, type Linked, type Wish } from './wish.js';

const log = logger('media.thumbnails');

/** Images that wait for theirs; of more nothing is made until they are read again. */
const MOST_WAITING = 10_000;
/** Sizes of one image that are made for who names them. Those that properties of the schema name are always made. */
const MOST_SIZES = 100;
/** Beside those that threads work on: what reads and writes the disk. */
const AHEAD = 2;

/** An image in work. */
interface Flight {
  readonly image: GraphNode;
  readonly wishes: readonly Wish[];
  /** Never rejects. */
  readonly done: Promise<void>;
  readonly begin: () => void;
}

export class Thumbnails {
  /** By content and size. */
  readonly #flights = new Map<string, Flight>();
  /** Those that have not begun, in order; what somebody waits for first. */
  readonly #waiting: Readonly<Record<Priority, Set<Flight>>> = { asked: new Set(), background: new Set() };
  readonly #links = new WeakMap<ReadTransaction, Map<string, Promise<readonly Linked[]>>>();
  readonly #publishing: Publishing;
  #running = 0;
  #stopped = false;

  constructor(private readonly context: MediaContext) {
    this.#publishing = new Publishing(context);
  }

  /** What a property of type `Thumbnail` shows; null: it is not there (yet). */
  readonly read = async (
    entity: GraphEntity,
    definition: PropertyDefinition,
    context: ComputeContext,
  ): Promise<Computed> => {
    const wish = wishOf(definition.format);
    if (wish === undefined || entity.kind !== 'node' || !mayHaveThumbnails(entity)) return { json: null };
    const { tx, schema, missing } = context;
    const found = ofSize(await this.#linked(tx, schema, entity.id), wish).find((one) => isCurrent(one, entity));
    if (found !== undefined) return { entities: [found.node], single: true };
    if (entity.properties['thumbnailCreationFailed'] === true) return { json: null };
    const isAwaited = missing !== undefined && this.context.config.get('application.images.thumbnails.wait') > 0;
    if (!isAwaited || !missing.note(entity, definition)) this.#begin([{ image: entity, wishes: [wish] }], 'background');
    return { json: null };
  };

  /** Makes what is missing in an answer; resolves when it is there, or when it took too long: then it is made all the same. */
  async make(missing: Missing, signal: AbortSignal): Promise<void> {
    const flights = this.#begin(missing.all, 'asked');
    const time = this.context.config.get('application.images.thumbnails.wait');
    const over = new AbortController();
    const timer = sleep(time, true, { signal: AbortSignal.any([over.signal, signal]) }).catch(() => false);
    const isLate = await Promise.race([Promise.all(flights.map(({ done }) => done)).then(() => false), timer]);
    over.abort();
    if (!isLate) return;
    const slow = flights.filter((flight) => this.#isFlying(flight));
    void this.#publishing.tellCreating(slow, (flight) => this.#isFlying(flight));
  }

  /**
   * The thumbnail of an image in a size that somebody names, when it is there. Throws `MediaError` 422 for what has none, or would get too many:
   * they are kept, and who may only read an image must not fill the disk with them.
   */
  async known(image: GraphNode, wish: Wish, read: Within['read']): Promise<GraphNode | undefined> {
    checkWish(wish);
    if (!mayHaveThumbnails(image)) {
      throw new MediaError(422, 'There are no thumbnails of thumbnails, templates and empty files.');
    }
    const links = await read((tx) => linkedTo(tx, this.context.schemas.schema, image.id));
    const found = ofSize(links, wish).find((one) => isCurrent(one, image))?.node;
    if (found === undefined && links.length >= MOST_SIZES)
      throw new MediaError(422, `An image has at most ${String(MOST_SIZES)} thumbnails.`);
    return found;
  }

  /** Makes one that is not there, within a transaction which becomes the writer when it is made. Throws what `makeImages` throws. */
  async get(image: GraphNode, wish: Wish, objects: Within['objects']): Promise<GraphNode> {
    const [made] = await this.#publishing.within(objects, await this.#prepare(image, [wish], 'asked'));
    if (made === undefined) throw new MediaError(422, 'The image was changed meanwhile.');
    return made;
  }

  /** Begins to make what nobody waits for. */
  later(wanted: readonly Wanted[]): void {
    const possible = wanted.filter(({ image }) => image.properties['thumbnailCreationFailed'] !== true);
    this.#begin(possible, 'background');
  }

  /** The same for who is in no transaction, once however many ask. Throws `MediaError` 422, and 503 where it cannot be made now. */
  async made(image: GraphNode, wish: Wish, read: Within['read']): Promise<GraphNode> {
    const found = await this.known(image, wish, read);
    if (found !== undefined) return found;
    if (image.properties['thumbnailCreationFailed'] !== true)
      await Promise.all(this.#begin([{ image, wishes: [wish] }], 'asked').map(({ done }) => done));
    const made = await this.known(image, wish, read);
    if (made !== undefined) return made;
    const now = await read((tx) => tx.node(image.id));
    if (now?.properties['thumbnailCreationFailed'] === true)
      throw new MediaError(422, 'There are no thumbnails of this image: it cannot be read.');
    throw new MediaError(503, 'The thumbnail could not be made now; try again.');
  }

  /** Resolves when nothing is in work any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const waiting of Object.values(this.#waiting)) {
      for (const flight of waiting) flight.begin();
      waiting.clear();
    }
    await Promise.all([...this.#flights.values()].map(({ done }) => done));
  }

  /** Several properties of an image show thumbnails. */
  #linked(tx: ReadTransaction, schema: ComputeContext['schema'], image: string): Promise<readonly Linked[]> {
    // Who writes changes what he reads.
    if ('changes' in tx) return linkedTo(tx, schema, image);
    let known = this.#links.get(tx);
    if (known === undefined) this.#links.set(tx, (known = new Map<string, Promise<readonly Linked[]>>()));
    let links = known.get(image);
    if (links === undefined) {
      if (known.size >= 1000) known.clear();
      known.set(image, (links = linkedTo(tx, schema, image)));
    }
    return links;
  }

  #isFlying({ image, wishes }: Flight): boolean {
    return wishes.some((wish) => this.#flights.has(flightKey(image, wish)));
  }

  /** What is in work already, or begins to be. */
  #begin(wanted: readonly Wanted[], priority: Priority): Flight[] {
    if (this.#stopped) return [];
    const flights = new Set<Flight>();
    for (const { image, wishes } of wanted) {
      const fresh: Wish[] = [];
      for (const wish of wishes) {
        const flying = this.#flights.get(flightKey(image, wish));
        if (flying === undefined) fresh.push(wish);
        else {
          flights.add(flying);
          if (priority === 'asked' && this.#waiting.background.delete(flying)) this.#waiting.asked.add(flying);
        }
      }
      if (fresh.length > 0 && this.#flights.size < MOST_WAITING) flights.add(this.#fly(image, fresh, priority));
    }
    this.#next();
    return [...flights];
  }

  #fly(image: GraphNode, wishes: readonly Wish[], priority: Priority): Flight {
    const keys = wishes.map((wish) => flightKey(image, wish));
    let begin = (): void => undefined;
    const turn = new Promise<void>((resolve) => (begin = resolve));
    const done = turn
      .then(() => (this.#stopped ? undefined : this.#work(image, wishes, priority)))
      .catch((error: unknown) => {
        log.warn(`thumbnails of ${image.id} could not be made`, error);
      })
      .finally(() => {
        for (const key of keys) this.#flights.delete(key);
      });
    const flight = { image, wishes, done, begin };
    for (const key of keys) this.#flights.set(key, flight);
    this.#waiting[priority].add(flight);
    return flight;
  }

  #next(): void {
    while (this.#running < shortWork().places + AHEAD) {
      const [flight] = this.#waiting.asked.size > 0 ? this.#waiting.asked : this.#waiting.background;
      if (flight === undefined) return;
      this.#waiting.asked.delete(flight);
      this.#waiting.background.delete(flight);
      this.#running++;
      flight.begin();
      void flight.done.then(() => {
        this.#running--;
        this.#next();
      });
    }
  }

  async #work(image: GraphNode, wishes: readonly Wish[], priority: Priority): Promise<void> {
    let prepared: Prepared;
    try {
      prepared = await this.#prepare(image, wishes, priority);
    } catch (error) {
      if (this.#stopped || (error instanceof WorkError && (error.code === 'busy' || error.code === 'gone'))) return;
      // Content that cannot be read now may be read later.
      if (error instanceof FilesError) {
        log.warn(`the content of image ${image.id} cannot be read: ${error.message}`);
        return;
      }
      if (!(error instanceof MediaError || error instanceof WorkError)) throw error;
      const isBad = this.context.attempts.isBad(contentName(image));
      await this.#publishing.fail(image, isBad ? error.message : undefined);
      log.info(`there are no thumbnails of image ${image.id}: ${error.message}`);
      return;
    }
    await this.#publishing.publish(prepared);
  }

  async #prepare(image: GraphNode, wishes: readonly Wish[], priority: Priority): Promise<Prepared> {
    const { config, files } = this.context;
    const format = config.get('application.images.thumbnails.format');
    const quality = config.get('application.images.thumbnails.quality');
    const outputs = wishes.map(({ width, height, crop }): ImageOutput => ({
      box: { width, height },
      fit: crop ? 'cover' : 'inside',
      enlarge: false,
      format,
      quality,
      animated: true,
    }));
    const { facts, made } = await makeImages(this.context, image, outputs, { what: 'thumbnails', priority });
    const stored = await Promise.allSettled(
      made.map(({ bytes, width, height }) => files.beside.storeToKeep(bytes, { width, height })),
    );
    const contents = stored.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = stored.find((one) => one.status === 'rejected');
    if (failed !== undefined) {
      await files.beside.abandon(contents);
      throw failed.reason;
    }
    return {
      image,
      facts,
      contentType: CONTENT_TYPES[format],
      made: contents.map((received, i) => {
        const { width = 0, height = 0 } = made[i] ?? {};
        return { received, wish: wishes[i] as Wish, width, height };
      }),
    };
  }
}

function flightKey(image: GraphNode, wish: Wish): string {
  return `${contentName(image)} ${keyOf(wish)}`;
}

function mayHaveThumbnails(image: GraphNode): boolean {
  return image.properties['isThumbnail'] !== true && image.properties['isTemplate'] !== true && sizeOf(image) > 0;
}
