/** Videos that are converted while they are sent (docs/interface/media.md 3.4). */
import type { GraphNode } from '../../graph/index.js';
import type { MediaContext } from '../context.js';
import { MediaError } from '../errors.js';
import { ffmpegArguments } from './command.js';
import type { Preset } from './presets/preset.js';
import { presetNamed } from './presets/table.js';
import { lookToConvert, mustBeVideo, withPath } from './source.js';

export interface StreamWish {
  readonly preset: string;
  /** Seconds from the beginning of the video at which the answer begins. */
  readonly start: number;
}

/** What is sent. */
export interface SentVideo {
  readonly contentType: string;
  /** Made as fast as it is read; whoever stops reading ends it. */
  readonly bytes: AsyncGenerator<Buffer, void, undefined>;
}

/** What is to be made of a video while it is sent. */
type Send = NonNullable<Preset['send']>;

/** How many there are at a time. */
export class VideoStreams {
  #running = 0;

  constructor(private readonly context: MediaContext) {}

  /** Throws `MediaError` 422 for what cannot be sent so, 501 and 503. */
  async open(video: GraphNode, { preset, start }: StreamWish, signal: AbortSignal): Promise<SentVideo> {
    const chosen = presetNamed(preset);
    if (chosen.send === undefined)
      throw new MediaError(422, `A video cannot be converted to ${preset} while it is sent.`);
    if (!Number.isFinite(start) || start < 0) throw new MediaError(422, 'The start is a number of seconds from 0 on.');
    mustBeVideo(this.context, video);
    await this.context.tools.needs('ffmpeg');
    await this.context.tools.needs('ffprobe');
    return { contentType: chosen.contentType, bytes: this.#bytes(video, chosen.send, start, signal) };
  }

  async *#bytes(
    video: GraphNode,
    send: Send,
    start: number,
    gone: AbortSignal,
  ): AsyncGenerator<Buffer, void, undefined> {
    const { config, tools } = this.context;
    if (this.#running >= config.get('application.video.streams')) {
      throw new MediaError(503, 'As many videos are being converted while they are sent as may be; try again later.');
    }
    this.#running++;
    const control = new AbortController();
    const end = (error: MediaError): void => control.abort(error);
    const timer = setTimeout(() => end(new MediaError(422, 'Sending the video took too long.')), tools.time).unref();
    const left = (): void => end(new MediaError(422, 'Nobody waits for the video any more.'));
    gone.addEventListener('abort', left, { once: true });
    if (gone.aborted) left();
    try {
      yield* this.#made(video, send, start, control.signal);
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', left);
      this.#running--;
    }
  }

  async *#made(video: GraphNode, send: Send, start: number, signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const { config, tools } = this.context;
    // The path is there for as long as this goes on.
    let done = (): void => undefined;
    const over = new Promise<void>((resolve) => (done = resolve));
    let holding: Promise<void> | undefined;
    try {
      const path = await new Promise<string>((resolve, reject) => {
        holding = withPath(this.context, video, signal, async (found) => {
          resolve(found);
          await over;
        });
        holding.catch(reject);
      });
      const { input, facts } = await lookToConvert(this.context, path, signal);
      const args = await ffmpegArguments({
        input,
        start,
        longest: config.get('application.video.maxlength'),
        threads: tools.threads,
        output: 'pipe:1',
        make: (command) => send(command, facts),
      });
      yield* tools.output(args, signal);
    } finally {
      done();
      await holding?.catch(() => undefined);
    }
  }
}
