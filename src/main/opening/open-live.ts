/** Live events, as the settings want them. */
import type { Config } from '../config/index.js';
import type { Handler } from '../http/index.js';
import { createEventSource, Live, type EventSourceParts, type LiveParts } from '../live/index.js';

function isActive(config: Config): boolean {
  return config.get('httpservice.servlets').includes('EventSourceServlet');
}

/** Who listens; nobody where the servlet is not active. */
export function openLive(config: Config, parts: Pick<LiveParts, 'graph' | 'schemas' | 'security'>): Live {
  const known = {
    most: config.get('eventsourceservlet.known.total'),
    each: config.get('eventsourceservlet.known.most'),
  };
  return new Live({ ...parts, isActive: isActive(config), known });
}

/** The handler of the stream; undefined: it is not active. */
export function openEventSource(config: Config, parts: Omit<EventSourceParts, 'limits'>): Handler | undefined {
  if (!isActive(config)) return undefined;
  const limits = (): ReturnType<EventSourceParts['limits']> => ({
    streams: config.get('eventsourceservlet.streams.most'),
    waiting: config.get('eventsourceservlet.waiting.most') * 1024,
  });
  return createEventSource({ ...parts, limits });
}
