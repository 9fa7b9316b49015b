/** `GET /VideoFile/<uuid>/stream?preset=&start=`: a video that is converted while it is sent (docs/interface/media.md 3.4). */
import type { Type } from '../../../schema/index.js';
import type { Resolver, RestRequest } from '../../context.js';
import { RestError } from '../../errors.js';
import { read } from '../../read.js';
import { findEntity } from '../objects/entity.js';

const NAME = 'stream';

export const resolveVideoStream: Resolver = (segments, schema, settings) => {
  const [name = '', id = '', last] = segments;
  if (segments.length !== 3 || last !== NAME || !settings.write.idPattern.test(id)) return undefined;
  const type = schema.type(name);
  if (type?.hasTrait('VideoFile') !== true) return undefined;
  return {
    signature: `${type.name}/_id/${NAME}`,
    allow: ['GET', 'OPTIONS'],
    verbs: { GET: (request) => send(request, type, id) },
  };
};

async function send(request: RestRequest, type: Type, id: string): Promise<void> {
  const { exchange, services, parameters } = request;
  const video = await read(request, (tx) => findEntity(request, tx, type, id));
  if (video.kind !== 'node') throw new RestError(404, `No ${type.name} with UUID ${id} found.`);
  const { preset, start } = wishIn(parameters.filters);
  const { contentType, bytes } = await services.media.videos.stream(video, { preset, start }, exchange.signal);
  services.requests.standstill.leave(exchange);
  // The first piece before the head: what cannot be converted is an error, not a broken answer.
  let out;
  for await (const piece of bytes) {
    if (out === undefined) {
      exchange.setHeader('Content-Type', contentType);
      exchange.setHeader('Cache-Control', 'private, no-store');
      exchange.setHeader('Accept-Ranges', 'none');
      exchange.setHeader('X-Content-Type-Options', 'nosniff');
      out = exchange.startStream();
    }
    await out.write(piece);
    if (exchange.aborted) return;
  }
  if (out === undefined) throw new RestError(422, `Nothing of the video is behind ${String(start)} s.`);
  await out.end();
}

function wishIn(parameters: readonly (readonly [string, string])[]): { preset: string; start: number } {
  let [preset, start] = ['mp4', 0];
  for (const [name, value] of parameters) {
    if (name === 'preset') preset = value;
    else if (name === 'start') start = value === '' ? NaN : Number(value);
    else
      throw new RestError(400, `A video is sent by "preset" and "start", not by ${JSON.stringify(name.slice(0, 50))}.`);
  }
  return { preset, start };
}
