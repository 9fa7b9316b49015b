/** A video whose content is worked on: what it must be, and where programs find it. */
import type { GraphNode } from '../../graph/index.js';
import { placeOfContent } from '../../files/index.js';
import { shortWork, type Priority } from '../../../shared/work/index.js';
import type { MediaContext } from '../context.js';
import { MediaError } from '../errors.js';
import { probe, type Probed, type VideoFacts } from './probe.js';

const MB = 1024 * 1024;
/** Milliseconds. */
const LONGEST_LOOK = 60_000;

/** Throws `MediaError` 422 for a file without content, or one that is evaluated, and 413 for one that is too large. */
export function mustBeVideo({ config, files }: Pick<MediaContext, 'config' | 'files'>, video: GraphNode): number {
  const { size } = files.contentOf(video);
  if (size === 0) throw new MediaError(422, 'The video has no content.');
  const most = config.get('application.video.maxsize');
  if (size > most * MB) throw new MediaError(413, `The video is larger than ${String(most)} MB.`);
  return size;
}

/** Calls `work` with a path of the content, for reading. Throws as `mustBeVideo`, and what `work` throws. */
export function withPath<T>(
  context: MediaContext,
  video: GraphNode,
  signal: AbortSignal,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const size = mustBeVideo(context, video);
  return context.files.onDisk.with(placeOfContent(video), size, work, signal);
}

/** Pixels that a picture of a video may have. */
export function mostPixels({ config }: Pick<MediaContext, 'config'>): number {
  return config.get('application.video.maxpixels') * 1_000_000;
}

/** What is at a path. Throws as `probe`. */
export function look(context: MediaContext, path: string, signal: AbortSignal): Promise<Probed> {
  return probe(context.tools, path, mostPixels(context), signal);
}

/**
 * What a video is. That takes a moment, and does not wait for conversions; content of another storage is fetched before. Throws as `mustBeVideo` and
 * `probe`.
 */
export function factsOf(
  context: MediaContext,
  video: GraphNode,
  signal: AbortSignal,
  priority: Priority,
): Promise<VideoFacts> {
  const work = { what: 'looking at a video', time: LONGEST_LOOK, priority, signal } as const;
  return withPath(context, video, signal, async (path) => {
    const { facts } = await shortWork().hold(work, (until) => look(context, path, until));
    return facts;
  });
}

/** The same as `look` for what is converted: throws `MediaError` 422 for what is longer than that may be. */
export async function lookToConvert(context: MediaContext, path: string, signal: AbortSignal): Promise<Probed> {
  const probed = await look(context, path, signal);
  const most = context.config.get('application.video.maxlength');
  if ((probed.facts.duration ?? 0) > most) throw new MediaError(422, `The video is longer than ${String(most)} s.`);
  return probed;
}
