/**
 * Conversions that are wanted: the video that is to become of another is there as an object before it is answered, so that nothing is forgotten, and
 * says what it waits for (docs/interface/media.md 3.2; docs/design/media.md, Videos).
 */
import type { GraphNode } from '../../graph/index.js';
import { FAILED, QUEUED, RUNNING, type ObjectTransaction } from '../../schema/index.js';
import type { MediaContext } from '../context.js';
import { MediaError } from '../errors.js';
import { contentName } from '../processing/content-name.js';
import { presetNamed } from './presets/table.js';
import { mustBeVideo } from './source.js';

export interface ConversionWish {
  readonly preset: string;
  /** Name of the new video; absent: that of the original with the ending of the preset. */
  readonly name?: string | undefined;
}

const CONVERTED = { relType: 'HAS_CONVERTED_VIDEO', direction: 'out' } as const;

/** Whether a video waits for its conversion. */
export function isWanted({ properties }: GraphNode): boolean {
  const { conversionPreset, conversionVersion, version = 0 } = properties;
  return conversionPreset !== undefined && conversionVersion === version;
}

/**
 * Asks for a conversion; returns the video that it is for. One that goes on already is that, and one that has been is done again. Throws `MediaError` 401,
 * 413 and 422, and what tells that the actor may not.
 */
export async function askFor(
  context: MediaContext,
  objects: ObjectTransaction,
  original: GraphNode,
  { preset, name }: ConversionWish,
): Promise<GraphNode> {
  const { id } = objects.actor;
  if (id === undefined) throw new MediaError(401, 'Log in to convert a video.');
  const chosen = presetNamed(preset);
  mustBeVideo(context, original);
  const { beside } = context.files;
  await beside.mayMake(objects, original);
  const [made = []] = await objects.tx.related([original.id], CONVERTED);
  for (const before of made) {
    // What others have made of it, and he may not see, is none for him.
    if (before.properties['conversionPreset'] === preset && (await objects.may('read', before)))
      return again(context, objects, before, id);
  }
  const folder =
    chosen.isPlaylist === true
      ? await beside.makeFolder(objects, original, `${baseOf(original)}-${preset}`)
      : undefined;
  return beside.make(objects, original, {
    name: name ?? `${baseOf(original)}${chosen.ending}`,
    type: 'VideoFile',
    contentType: chosen.contentType,
    input: { originalVideo: original.id },
    properties: { conversionPreset: preset, conversionVersion: 0, conversionUser: id, processingState: QUEUED },
    ...(folder === undefined ? {} : { folder }),
  });
}

async function again(
  { attempts }: MediaContext,
  objects: ObjectTransaction,
  video: GraphNode,
  user: string,
): Promise<GraphNode> {
  const { processingState, version = 0 } = video.properties;
  if (isWanted(video) && (processingState === QUEUED || processingState === RUNNING)) return video;
  if (!(await objects.may('write', video))) throw objects.notPermitted(video);
  await attempts.forget(contentName(video));
  const changes = { conversionVersion: version, conversionUser: user, processingState: QUEUED, ...NOTHING_TOLD };
  objects.touch(video.id);
  return objects.tx.updateNode(video.id, changes);
}

const NOTHING_TOLD = { processingMessage: null, processingProgress: null };

/** Ends a conversion that waits or goes on, of a video that the actor may write. Throws `MediaError` 422 when there is none. `ended`: told when that is committed. */
export async function cancel(objects: ObjectTransaction, video: GraphNode, ended: () => void): Promise<void> {
  const { processingState } = video.properties;
  if (!isWanted(video) || (processingState !== QUEUED && processingState !== RUNNING)) {
    throw new MediaError(422, 'The video does not wait for a conversion, and none goes on.');
  }
  objects.onEnd((committed) => {
    if (committed) ended();
  });
  await objects.tx.updateNode(video.id, {
    processingState: FAILED,
    processingMessage: 'The conversion was cancelled.',
    processingProgress: null,
    conversionVersion: null,
  });
  objects.touch(video.id);
}

/** The name of a video without its ending. */
export function baseOf({ id, properties }: GraphNode): string {
  const { name } = properties;
  return typeof name === 'string' ? name.replace(/(?<=.)\.\w{1,5}$/, '') : id;
}
