/** What can be done with videos, for those who ask for it (docs/interface/media.md 3). */
import type { GraphNode, ReadTransaction } from '../../graph/index.js';
import type { Received } from '../../files/index.js';
import { allowed, folderOf, type Actor, type ObjectAccess, type ObjectTransaction } from '../../schema/index.js';
import { shortWork } from '../../../shared/work/index.js';
import type { MediaContext } from '../context.js';
import { MediaError } from '../errors.js';
import type { Processing } from '../processing/processing.js';
import { askFor, baseOf, cancel, type ConversionWish } from './conversion.js';
import { frameOf, type Frame, type FrameWish } from './frame.js';
import { look, withPath } from './source.js';
import { VideoStreams, type SentVideo, type StreamWish } from './stream.js';

const LONGEST = 60_000;

/** How what was found out, or made, gets into the database. */
export interface Storing {
  readonly actor: Actor;
  readonly access: ObjectAccess;
  readonly signal: AbortSignal;
  /** Reads, with what the caller has written already. */
  read<T>(work: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction; when that comes to nothing, what was stored for it goes (`drop`). */
  write<T>(work: (objects: ObjectTransaction) => Promise<T>, drop?: () => Promise<void>): Promise<T>;
}

/** Whoever calls may read the video; every other right is asked for here. */
export class Videos {
  readonly #streams: VideoStreams;

  constructor(
    private readonly context: MediaContext,
    private readonly processing: Processing,
  ) {
    this.#streams = new VideoStreams(context);
  }

  /** Finds out anew what a video is. Throws `MediaError` 422 and 501, `SchemaError` when the actor may not write it. */
  async updateInfo(video: GraphNode, storing: Storing): Promise<void> {
    const { tools } = this.context;
    await tools.needs('ffprobe');
    await mayBegin(storing, video);
    const work = { what: 'looking at a video', time: LONGEST, signal: storing.signal } as const;
    const { facts } = await withPath(this.context, video, storing.signal, (path) =>
      shortWork().hold(work, (until) => look(this.context, path, until)),
    );
    await storing.write(async (objects) => {
      const now = await mayWrite(objects, video);
      // Of other content this says nothing, and that is looked at by itself.
      if (now.properties['version'] !== video.properties['version']) return;
      const changes = { ...facts.properties };
      objects.stamp(changes, false);
      await objects.tx.updateNode(now.id, changes);
      objects.touch(now.id);
    });
  }

  /** Asks for a conversion; returns the video that it will be the content of. Throws as `askFor`, and `MediaError` 501. */
  async convert(video: GraphNode, wish: ConversionWish, storing: Storing): Promise<GraphNode> {
    const { tools } = this.context;
    await tools.needs('ffmpeg');
    await tools.needs('ffprobe');
    return storing.write((objects) => askFor(this.context, objects, video, wish));
  }

  /** Ends a conversion that waits or goes on. Throws as `cancel`. */
  cancel(video: GraphNode, storing: Storing): Promise<void> {
    return storing.write(async (objects) => {
      const now = (await objects.tx.node(video.id)) ?? video;
      await cancel(objects, now, () => this.processing.drop(video.id));
    });
  }

  /** Makes an image of a picture of the video, beside it. Throws `MediaError` 422 and 501, and what tells that the actor may not. */
  async grabFrame(
    video: GraphNode,
    wish: FrameWish & { readonly name?: string | undefined },
    storing: Storing,
  ): Promise<GraphNode> {
    const frame = await this.#frame(video, wish, storing);
    const seconds = String(Math.round(wish.time * 1000) / 1000);
    return this.#image(video, frame, wish.name ?? `${baseOf(video)}-${seconds}s${frame.ending}`, {}, storing);
  }

  /** Makes a picture of the video its poster; one that it has gets other content. Throws as `grabFrame`. */
  async makePoster(video: GraphNode, wish: FrameWish, storing: Storing): Promise<GraphNode> {
    const { files } = this.context;
    const step = { relType: 'HAS_POSTER_IMAGE', direction: 'out' } as const;
    const frame = await this.#frame(video, wish, storing);
    const [[poster] = []] = await storing.read((tx) => tx.related([video.id], step, 1));
    if (poster === undefined) {
      const name = `${baseOf(video)}-poster${frame.ending}`;
      return this.#image(video, frame, name, { posterImageOfVideo: video.id }, storing);
    }
    const received = await files.beside.storeFor(poster, { bytes: frame.bytes });
    return this.#write(storing, received, async (objects) => {
      const now = await mayWrite(objects, poster);
      await files.beside.publish(objects, now, received, { contentType: frame.contentType });
      return now;
    });
  }

  /** Converts a video while it is sent. Throws as `VideoStreams.open`. */
  stream(video: GraphNode, wish: StreamWish, signal: AbortSignal): Promise<SentVideo> {
    return this.#streams.open(video, wish, signal);
  }

  async #frame(video: GraphNode, wish: FrameWish, storing: Storing): Promise<Frame> {
    await mayBegin(storing, video);
    return frameOf(this.context, video, wish, storing.signal);
  }

  async #image(
    video: GraphNode,
    { bytes, contentType }: Frame,
    name: string,
    input: Readonly<Record<string, string>>,
    storing: Storing,
  ): Promise<GraphNode> {
    const { files, schemas } = this.context;
    const folder = await storing.read((tx) => folderOf({ tx, schema: schemas.schema }, video.id));
    const received = await files.beside.store(storing.actor, folder?.id, name, { bytes });
    return this.#write(storing, received, async (objects) => {
      await files.beside.mayMake(objects, video);
      return files.beside.make(objects, video, { name, type: 'Image', contentType, input, received });
    });
  }

  #write<T>(storing: Storing, received: Received, work: (objects: ObjectTransaction) => Promise<T>): Promise<T> {
    return storing.write(work, () => this.context.files.beside.abandon([received]));
  }
}

/** Before the work: who may not write the video is told at once. Throws `MediaError` 403. */
async function mayBegin(storing: Storing, video: GraphNode): Promise<void> {
  if (!(await storing.read((tx) => allowed(tx, storing.access, 'write', video)))) {
    throw new MediaError(403, `You may not write to the video with UUID ${video.id}.`);
  }
}

/** The video as it is now. Throws `SchemaError` when the actor may not write it. */
async function mayWrite(objects: ObjectTransaction, video: GraphNode): Promise<GraphNode> {
  const now = await objects.tx.node(video.id);
  if (now === undefined || !(await objects.may('write', now))) throw objects.notPermitted(video);
  return now;
}
