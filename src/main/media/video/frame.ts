/** A picture of a video at a time (docs/interface/media.md 3.3). */
import type { GraphNode } from '../../graph/index.js';
import { shortWork } from '../../../shared/work/index.js';
import type { MediaContext } from '../context.js';
import { MediaError } from '../errors.js';
import { ffmpegArguments } from './command.js';
import { videoInput } from './input.js';
import { mostPixels, withPath } from './source.js';

const LONGEST = 60_000;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_SIDE = 8192;

const FORMATS = {
  jpeg: { codec: 'mjpeg', contentType: 'image/jpeg', ending: '.jpg', options: ['-q:v', '3'] },
  png: { codec: 'png', contentType: 'image/png', ending: '.png', options: [] },
} as const;

export interface FrameWish {
  /** Seconds from the beginning. */
  readonly time: number;
  /** Pixels; absent: as wide as the video. */
  readonly width?: number | undefined;
  /** `jpeg`, which it is without one, or `png`. */
  readonly format?: string | undefined;
}

export interface Frame {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** Of its name, with the dot. */
  readonly ending: string;
}

/** Throws `MediaError` 422 for a wish that cannot be fulfilled, and for a time that is behind the end. */
export async function frameOf(
  context: MediaContext,
  video: GraphNode,
  { time, width, format = 'jpeg' }: FrameWish,
  signal: AbortSignal,
): Promise<Frame> {
  if (!Number.isFinite(time) || time < 0) throw new MediaError(422, 'The time is a number of seconds from 0 on.');
  if (width !== undefined && !(Number.isInteger(width) && width > 0 && width <= MOST_SIDE)) {
    throw new MediaError(422, `The width is a whole number from 1 to ${String(MOST_SIDE)}.`);
  }
  if (format !== 'jpeg' && format !== 'png') throw new MediaError(422, 'The format is jpeg or png.');
  await context.tools.needs('ffmpeg');
  const { codec, contentType, ending, options } = FORMATS[format];
  const work = { what: 'a picture of a video', time: LONGEST, signal } as const;
  const bytes = await withPath(context, video, signal, async (path) => {
    const args = await ffmpegArguments({
      input: await videoInput(path, mostPixels(context)),
      start: time,
      threads: 1,
      output: 'pipe:1',
      make: (command) => {
        command.outputOptions('-map', '0:V:0', '-an', '-frames:v', '1', ...options).videoCodec(codec);
        if (width !== undefined) command.outputOptions('-vf', `scale=${String(width)}:-1`);
        command.format('image2pipe');
      },
    });
    return shortWork().hold(work, (until) => context.tools.tell('ffmpeg', args, until, LONGEST / 1000, MOST_BYTES));
  });
  if (bytes.length === 0) throw new MediaError(422, `There is no picture ${String(time)} s from the beginning.`);
  return { bytes, contentType, ending };
}
