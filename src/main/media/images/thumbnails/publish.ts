/** Thumbnails that are made become files of the tree: many in one transaction, while the one before is written. */
import type { Received } from '../../../files/index.js';
import type { GraphNode, StoredValue } from '../../../graph/index.js';
import {
  ALLOW_ALL,
  ensureFolders,
  FAILED,
  folderOf,
  namesTo,
  SYSTEM,
  THUMBNAIL,
  thumbnailName,
  type ObjectTransaction,
} from '../../../schema/index.js';
import { logger } from '../../../../shared/log.js';
import type { ImageFacts } from '../../../../workers/media/image.js';
import type { MediaContext } from '../../context.js';
import type { Wanted } from './missing.js';
import { isCurrent, linkedTo, ofSize, type Wish } from './wish.js';

const log = logger('media.thumbnails');

/** Where they lie, with the folders of their originals. */
const FOLDER = '/._svc_thumbnails';
/** Everybody may look into it: each thumbnail says who sees it. */
const VISIBLE = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
/** Images in one transaction. */
const TOGETHER = 50;

export interface MadeThumbnail {
  readonly wish: Wish;
  readonly received: Received;
  readonly width: number;
  readonly height: number;
}

/** Thumbnails whose content is stored. */
export interface Prepared {
  /** As it was when they were made. */
  readonly image: GraphNode;
  readonly facts: ImageFacts;
  readonly contentType: string;
  readonly made: readonly MadeThumbnail[];
}

interface Waiting {
  readonly prepared: Prepared;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Publishing {
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(private readonly context: MediaContext) {}

  /** Resolves when they are committed, or are of no use any more. Throws what the transaction throws. */
  publish(prepared: Prepared): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ prepared, resolve, reject });
      void this.#writeAll();
    });
  }

  /** The same in a transaction that goes on; its caller sees them only when that is committed. In the order of the wishes. */
  async within(objects: () => Promise<ObjectTransaction>, prepared: Prepared): Promise<GraphNode[]> {
    let open: ObjectTransaction;
    try {
      open = await objects();
    } catch (error) {
      await this.#abandon(prepared);
      throw error;
    }
    open.onEnd(() => void this.#abandon(prepared));
    return this.#put(open.as(SYSTEM, ALLOW_ALL), prepared);
  }

  /** The image has none. `message`: why nothing at all is done with its content any more. */
  async fail(image: GraphNode, message: string | undefined): Promise<void> {
    const changes = {
      thumbnailCreationFailed: true,
      isCreatingThumb: null,
      ...(message === undefined ? {} : { processingState: FAILED, processingMessage: message }),
    };
    await this.#write(async ({ tx }) => {
      const now = await tx.node(image.id);
      if (now !== undefined && isSameContent(now, image)) await tx.updateNode(image.id, changes);
    });
  }

  /** Tells that they take their time. Never rejects. */
  async tellCreating<T extends Wanted>(wanted: readonly T[], isStill: (one: T) => boolean): Promise<void> {
    if (wanted.length === 0) return;
    try {
      await this.#write(async ({ tx, schema }) => {
        for (const one of wanted.filter(isStill)) {
          const now = await tx.node(one.image.id);
          if (now === undefined || !isSameContent(now, one.image)) continue;
          // They may have been committed just before this.
          const links = await linkedTo(tx, schema, now.id);
          const areThere = one.wishes.every((wish) => ofSize(links, wish).some((link) => isCurrent(link, now)));
          if (areThere || now.properties['thumbnailCreationFailed'] === true) continue;
          await tx.updateNode(now.id, { isCreatingThumb: true });
        }
      });
    } catch (error) {
      log.warn('it could not be told that thumbnails are being made', error);
    }
  }

  async #writeAll(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, TOGETHER);
      await this.#commit(batch);
      for (const { prepared } of batch) await this.#abandon(prepared);
    }
    this.#writing = false;
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#write(async (objects) => {
        for (const { prepared } of batch) await this.#put(objects, prepared);
      });
      for (const { resolve } of batch) resolve();
    } catch (error) {
      // One that cannot be written must not keep the others from it.
      if (batch.length > 1) for (const one of batch) await this.#commit([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** What has become no file. */
  async #abandon({ made }: Prepared): Promise<void> {
    await this.context.files.beside.abandon(made.map(({ received }) => received));
  }

  async #write(work: (objects: ObjectTransaction) => Promise<unknown>): Promise<void> {
    const { schemas, write } = this.context;
    const options = { ...write(), door: 'system', reason: 'thumbnails are made' } as const;
    await schemas.write(SYSTEM, ALLOW_ALL, options, work, undefined, { quietly: true, methods: false });
  }

  /** Whoever was faster stays; what was made of other content goes. */
  async #put(objects: ObjectTransaction, { image, facts, contentType, made }: Prepared): Promise<GraphNode[]> {
    const { tx, schema } = objects;
    await objects.breathe();
    const now = await tx.node(image.id);
    if (now === undefined || !isSameContent(now, image)) return [];
    const links = await linkedTo(tx, schema, image.id);
    const changes: Record<string, StoredValue | null> = {};
    if (now.properties['isCreatingThumb'] !== undefined) changes['isCreatingThumb'] = null;
    // Of images that came before anything was looked at.
    if (now.properties['width'] === undefined) Object.assign(changes, facts);
    const nodes: GraphNode[] = [];
    for (const one of made) {
      const there = ofSize(links, one.wish);
      const current = there.find((link) => isCurrent(link, now));
      nodes.push(current?.node ?? (await this.#create(objects, now, one, contentType)));
      for (const stale of there) if (stale !== current) await objects.delete(stale.node);
    }
    if (Object.keys(changes).length > 0) await tx.updateNode(image.id, changes);
    return nodes;
  }

  async #create(
    objects: ObjectTransaction,
    image: GraphNode,
    { received, wish, width, height }: MadeThumbnail,
    contentType: string,
  ): Promise<GraphNode> {
    const { files } = this.context;
    const type = objects.schema.type('Image');
    if (type === undefined) throw new Error('there is no type Image');
    const above = await folderOf(objects, image.id);
    const path = [FOLDER, ...(above === undefined ? [] : await namesTo(objects, above))].join('/');
    const folder = await ensureFolders(objects, path, VISIBLE);
    const { name } = image.properties;
    const original = typeof name === 'string' ? name : image.id;
    const node = await files.beside.keep(objects, image, type, {
      received,
      name: thumbnailName(original, width, height, objects.options.longestFileName),
      contentType,
      properties: { isThumbnail: true },
      ...(folder === undefined ? {} : { folder }),
    });
    const checksum = image.properties['checksum'];
    // The rest, which it has from its original, follows from this (`rules/files/thumbnails.ts` of the schema room).
    await objects.tx.createRelationship({
      id: objects.newId(),
      type: 'ImageTHUMBNAILImage',
      relType: THUMBNAIL,
      sourceId: image.id,
      targetId: node.id,
      properties: {
        createdDate: objects.now,
        maxWidth: wish.width,
        maxHeight: wish.height,
        cropToFit: wish.crop,
        width,
        height,
        ...(checksum === undefined ? {} : { checksum }),
      },
    });
    return node;
  }
}

function isSameContent(a: GraphNode, b: GraphNode): boolean {
  return (
    a.properties['version'] === b.properties['version'] && a.properties['contentKey'] === b.properties['contentKey']
  );
}
