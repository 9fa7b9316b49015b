/** What is made of videos (docs/interface/media.md 3). */
import type { Storing } from '../../media/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { RestRequest } from '../context.js';
import { RestError } from '../errors.js';
import { write } from '../write.js';
import { numberIn, ResultNodes, textIn, type BuiltinMethod } from './method.js';

export const videoMethods: readonly BuiltinMethod[] = [
  {
    trait: 'VideoFile',
    name: 'updateVideoInfo',
    parameters: {},
    run: async (request, video) => {
      await request.services.media.videos.updateInfo(video, storingFor(request, 'VideoFile'));
      return null;
    },
  },
  {
    trait: 'VideoFile',
    name: 'convert',
    parameters: { 'preset!': 'string', name: 'string' },
    run: async (request, video, input) => {
      const wish = { preset: textIn(input, 'preset') ?? '', name: textIn(input, 'name') };
      return new ResultNodes(
        await request.services.media.videos.convert(video, wish, storingFor(request, 'VideoFile')),
      );
    },
  },
  {
    trait: 'VideoFile',
    name: 'cancelConversion',
    parameters: {},
    run: async (request, video) => {
      await request.services.media.videos.cancel(video, storingFor(request, 'VideoFile'));
      return null;
    },
  },
  {
    trait: 'VideoFile',
    name: 'grabFrame',
    parameters: { 'time!': 'any', width: 'integer', format: 'string', name: 'string' },
    run: async (request, video, input) => {
      const wish = { ...frameIn(input), name: textIn(input, 'name') };
      return new ResultNodes(await request.services.media.videos.grabFrame(video, wish, storingFor(request, 'Image')));
    },
  },
  {
    trait: 'VideoFile',
    name: 'makePosterImage',
    parameters: { 'time!': 'any', width: 'integer', format: 'string' },
    run: async (request, video, input) => {
      const { videos } = request.services.media;
      return new ResultNodes(await videos.makePoster(video, frameIn(input), storingFor(request, 'Image')));
    },
  },
];

function frameIn(input: JsonObject): { time: number; width: number | undefined; format: string | undefined } {
  const time = numberIn(input, 'time');
  if (time === undefined) throw new RestError(400, 'The parameter "time" must be a number of seconds.');
  return { time, width: numberIn(input, 'width'), format: textIn(input, 'format') };
}

/** Each write is a transaction of its own: nobody waits for the writer while a program works. */
function storingFor(request: RestRequest, type: string): Storing {
  return {
    actor: request.actor,
    access: request.access,
    read: (work) => request.services.graph.read(work),
    signal: request.exchange.signal,
    write: async (work, drop) => {
      try {
        return await write(request, type, work);
      } catch (error) {
        await drop?.();
        throw error;
      }
    },
  };
}
