/** What a front-end thread says of what it does not have: the request is handed over to the main thread (docs/design/threads.md). */
import { writerElsewhere, type GraphError } from '../../graph/index.js';
import type { Exchange, Handler } from '../../http/index.js';
import { partly } from '../../../shared/partly.js';

/** Thrown for whatever only the main thread can do. */
export function elsewhere(what: string): GraphError {
  return writerElsewhere(`${what} is in the main thread.`);
}

/** A room of which only these parts are here. */
export function partOf<T extends object>(room: string, parts: Partial<T> = {}): T {
  return partly<T>(parts, (name) => elsewhere(`${room}.${name}`));
}

/** The main thread answers. */
export const handOver: Handler = (exchange: Exchange) => {
  if (!exchange.handOver()) throw elsewhere('the answer');
  return exchange.handedOver;
};
