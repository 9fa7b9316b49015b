/** `/_runtimeEventLog`: what has happened lately (docs/interface/monitoring.md 5). */
import type { EventFilter, RuntimeEvent } from '../../../monitoring/index.js';
import { TimeSlice } from '../../../../shared/time-slice.js';
import { arrayLimit, Envelope, sendEmpty } from '../../answer/envelope.js';
import type { Resolver, RestRequest } from '../../context.js';
import { RestError } from '../../errors.js';
import { pageOf, window } from '../../query/query.js';

export const resolveRuntimeEvents: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== '_runtimeEventLog') return undefined;
  return { signature: '_runtimeEventLog', allow: ['GET', 'OPTIONS', 'POST'], verbs: { GET: list, POST: acknowledge } };
};

async function list(request: RestRequest): Promise<void> {
  const { events } = request.services;
  const page = pageOf(request.parameters);
  const { offset, limit = Infinity } = window(request, page);
  const most = arrayLimit(request);
  const envelope = new Envelope(request);
  const { out } = envelope;
  const slice = new TimeSlice();
  let found = 0;
  let written = 0;
  out.text += '[';
  for (const event of events.find(filterOf(request))) {
    const index = found++;
    if (index >= offset && written < limit) {
      out.text += `${written === 0 ? '' : ','}${out.newline(2)}${textOf(event)}`;
      written++;
      if (out.due) await out.pause();
    }
    if (slice.due) await slice.pause();
  }
  out.text += written === 0 ? ']' : `${out.newline(1)}]`;
  const time = performance.now() - request.startedAt;
  const exact = found <= most || request.parameters.has('forceResultCount');
  await envelope.end(written, time, { count: { count: found, exact }, countTime: 0 }, page);
}

async function acknowledge(request: RestRequest): Promise<void> {
  const { body, services } = request;
  if (!body.isArray && body.objects[0]?.['action'] === 'acknowledge') services.events.acknowledge(filterOf(request));
  await sendEmpty(request);
}

function textOf({ id, type, absoluteTimestamp, relativeTimestamp, description, seen, data }: RuntimeEvent): string {
  return JSON.stringify({ id, type, absoluteTimestamp, relativeTimestamp, description, seen, data });
}

/** Throws `RestError` 400 for what is no filter of events. */
function filterOf({ parameters }: RestRequest): EventFilter {
  let filter: EventFilter = {};
  for (const [name, value] of parameters.filters) {
    const words = value.split(',').map((word) => word.trim());
    if (name === 'type') filter = { ...filter, types: new Set(words) };
    else if (name === 'id' && words.every((word) => /^\d{1,15}$/.test(word)))
      filter = { ...filter, ids: new Set(words.map(Number)) };
    else if (name === 'seen' && (value === 'true' || value === 'false')) filter = { ...filter, seen: value === 'true' };
    else throw new RestError(400, `There is no filter ${name}=${value.slice(0, 100)}: there are id, seen and type.`);
  }
  return filter;
}
