/** What is made of videos of the tree (docs/interface/media.md 3.5). */
import type { GraphNode } from '../../../graph/index.js';
import type { Storing, Videos } from '../../../media/index.js';
import type { ScriptContext } from '../../run/run.js';
import { readableFile } from '../../run/files/file-content.js';
import { withinScript } from '../../run/files/within.js';
import { doubleOf, optionalText } from '../../run/function/arguments.js';
import type { FunctionCategory } from '../../run/function/function.js';
import { ofObjects } from '../../run/function/pairs.js';
import { ScriptError } from '../../language/errors.js';
import { textOf } from '../../language/text.js';
import type { ScriptEntity, ScriptValue } from '../../language/values.js';

const VIDEO = "first(find('VideoFile', 'name', 'film.mov'))";

export const videoFunctions: FunctionCategory = {
  title: 'Files',
  functions: [
    ofObjects(
      {
        name: 'updateVideoInfo',
        signature: 'updateVideoInfo(video)',
        meaning: 'Finds out anew what a video is: its codecs, width, height, duration and sound.',
        example: `updateVideoInfo(${VIDEO})`,
        min: 1,
        max: 1,
      },
      ['VideoFile'],
      async ([one], _rest, context) => {
        if (one !== undefined)
          await withVideo(one, context, (videos, video, storing) => videos.updateInfo(video, storing));
        return null;
      },
    ),
    ofObjects(
      {
        name: 'convertVideo',
        signature: 'convertVideo(video, preset [, name])',
        meaning:
          'Asks for a conversion, which is done in the background after the script; answers the new video, whose processingState and ' +
          'processingProgress tell how far it is. Presets: mp4, mp4-720p, webm, webm-720p, hls.',
        example: `convertVideo(${VIDEO}, 'webm').name`,
        min: 2,
        max: 3,
      },
      ['VideoFile'],
      async ([one], [preset = null, name = null], context) => {
        if (one === undefined) return null;
        const wish = { preset: textOf(preset, context), name: name === null ? undefined : textOf(name, context) };
        return entityOf(one, context, (videos, video, storing) => videos.convert(video, wish, storing));
      },
    ),
    ofObjects(
      {
        name: 'cancelConversion',
        signature: 'cancelConversion(video)',
        meaning: 'Ends the conversion that a video waits for, or that goes on.',
        example: "cancelConversion(first(find('VideoFile', 'name', 'film.webm')))",
        min: 1,
        max: 1,
      },
      ['VideoFile'],
      async ([one], _rest, context) => {
        if (one !== undefined) await withVideo(one, context, (videos, video, storing) => videos.cancel(video, storing));
        return null;
      },
    ),
    ofObjects(
      {
        name: 'grabFrame',
        signature: 'grabFrame(video, seconds [, width [, format = "jpeg"]])',
        meaning: 'A new image beside the video: its picture so many seconds from the beginning, as jpeg or png.',
        example: `grabFrame(${VIDEO}, 1.5, 320).width`,
        min: 2,
        max: 4,
      },
      ['VideoFile'],
      async ([one], rest, context) => {
        if (one === undefined) return null;
        const wish = frameIn(rest, 'grabFrame', context);
        return entityOf(one, context, (videos, video, storing) => videos.grabFrame(video, wish, storing));
      },
    ),
    ofObjects(
      {
        name: 'makePosterImage',
        signature: 'makePosterImage(video, seconds [, width [, format = "jpeg"]])',
        meaning: 'Makes a picture of a video its posterImage, which is answered.',
        example: `makePosterImage(${VIDEO}, 1.5).name`,
        min: 2,
        max: 4,
      },
      ['VideoFile'],
      async ([one], rest, context) => {
        if (one === undefined) return null;
        const wish = frameIn(rest, 'makePosterImage', context);
        return entityOf(one, context, (videos, video, storing) => videos.makePoster(video, wish, storing));
      },
    ),
  ],
};

function frameIn(
  [seconds = null, width = null, format = null]: readonly ScriptValue[],
  name: string,
  context: ScriptContext,
): { time: number; width: number | undefined; format: string } {
  const time = doubleOf(seconds);
  if (time === undefined) throw new ScriptError(422, `${name}() needs a number of seconds.`);
  const wide = width === null ? undefined : (doubleOf(width) ?? NaN);
  return { time, width: wide, format: optionalText(format, 'jpeg', context) };
}

/** What is asked for within the transaction of a script: what is stored for it goes when the script fails. */
async function withVideo<T>(
  one: ScriptEntity,
  context: ScriptContext,
  work: (videos: Videos, video: GraphNode, storing: Storing) => Promise<T>,
): Promise<T> {
  const video = await readableFile(one, context);
  const { videos } = context.run.parts.media;
  return withinScript(context, ({ actor, access, signal, read, objects }) =>
    work(videos, video, {
      actor,
      access,
      signal,
      read,
      write: async (writing, drop) => {
        try {
          const open = await objects();
          if (drop !== undefined) open.onEnd(() => void drop());
          return await writing(open);
        } catch (error) {
          await drop?.();
          throw error;
        }
      },
    }),
  );
}

async function entityOf(
  one: ScriptEntity,
  context: ScriptContext,
  work: (videos: Videos, video: GraphNode, storing: Storing) => Promise<GraphNode>,
): Promise<ScriptEntity> {
  return context.run.entities.of(await withVideo(one, context, work));
}
