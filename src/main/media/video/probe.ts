/** What a video is, as ffprobe tells it (docs/interface/media.md 3.1). */
import type { StoredValue } from '../../graph/index.js';
import { MediaError } from '../errors.js';
import { videoInput, type VideoInput } from './input.js';
import type { Tools } from './tools.js';

/** Seconds of the processors' time. */
const LONGEST = 60;

/** What conversions have to know of a video. */
export interface VideoFacts {
  /** Properties of the object; null: the content does not tell. */
  readonly properties: Readonly<Record<string, StoredValue | null>>;
  readonly width: number;
  readonly height: number;
  /** Seconds; undefined: nobody knows. */
  readonly duration: number | undefined;
  /** Index of the stream in its container. */
  readonly videoStream: number;
  /** Undefined: it has no sound. */
  readonly audioStream: number | undefined;
}

export interface Probed {
  readonly input: VideoInput;
  readonly facts: VideoFacts;
}

/** Looks at the video at a path. Throws `MediaError` 422 for what is none, 501 without ffprobe. */
export async function probe(tools: Tools, path: string, pixels: number, signal: AbortSignal): Promise<Probed> {
  await tools.needs('ffprobe');
  const input = await videoInput(path, pixels);
  const args = ['-v', 'error', ...input.options, '-show_streams', '-show_format', '-of', 'json', '-i', input.name];
  return { input, facts: factsIn(read(await tools.tell('ffprobe', args, signal, LONGEST))) };
}

type Json = Readonly<Record<string, unknown>>;

function read(told: Buffer): Json {
  try {
    return JSON.parse(told.toString('utf8')) as Json;
  } catch (error) {
    throw new MediaError(422, 'What ffprobe tells of the content cannot be read.', { cause: error });
  }
}

/** The facts in what ffprobe tells: of several streams of a kind the last counts, but for pictures of covers. */
export function factsIn(told: Json): VideoFacts {
  const streams = Array.isArray(told['streams']) ? (told['streams'] as Json[]) : [];
  const video = streams.findLast((one) => one['codec_type'] === 'video' && !isCover(one));
  const audio = streams.findLast((one) => one['codec_type'] === 'audio');
  if (video === undefined) throw new MediaError(422, 'There is no video in the content.');
  const format = (told['format'] ?? {}) as Json;
  const duration = positive(video['duration']) ?? clock(video) ?? positive(format['duration']);
  const [width, height] = [whole(video['width']), whole(video['height'])];
  return {
    properties: {
      videoCodec: words(video['codec_name']),
      videoCodecName: words(video['codec_long_name']),
      pixelFormat: words(video['pix_fmt']),
      width: width === 0 ? null : width,
      height: height === 0 ? null : height,
      duration: duration ?? null,
      audioCodec: words(audio?.['codec_name']),
      audioCodecName: words(audio?.['codec_long_name']),
      audioChannels: whole(audio?.['channels']) || null,
      sampleRate: positive(audio?.['sample_rate']) ?? null,
    },
    width,
    height,
    duration,
    videoStream: whole(video['index']),
    audioStream: audio === undefined ? undefined : whole(audio['index']),
  };
}

function isCover(stream: Json): boolean {
  return (stream['disposition'] as Json | undefined)?.['attached_pic'] === 1;
}

function words(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value !== 'unknown' ? value.slice(0, 200) : null;
}

function whole(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** Seconds of `00:01:02.5`, as Matroska has the length of a stream. */
function clock(stream: Json): number | undefined {
  const told = (stream['tags'] as Json | undefined)?.['DURATION'];
  const [, hours, minutes, rest] = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(typeof told === 'string' ? told : '') ?? [];
  if (rest === undefined) return undefined;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest) || undefined;
}

/** A number that ffprobe writes as text, as it does where it may have a fraction or be unknown. */
function positive(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : NaN;
  return Number.isFinite(number) && number > 0 ? number : undefined;
}
