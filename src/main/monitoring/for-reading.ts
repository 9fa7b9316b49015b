import { HttpError, type Exchange, type Handler } from '../http/index.js';

const METHODS = 'GET,HEAD,OPTIONS';

/** A handler of what can only be read: `answer` is called for GET and HEAD alone, and what it throws is sent. */
export function forReading(sendError: (exchange: Exchange, error: unknown) => void, answer: Handler): Handler {
  return async (exchange) => {
    try {
      const { method } = exchange;
      if (method === 'OPTIONS') {
        exchange.setHeader('Allow', METHODS);
        exchange.end();
        return;
      }
      if (method !== 'GET' && method !== 'HEAD')
        throw new HttpError(405, `${method} is not possible here.`, { Allow: METHODS });
      await answer(exchange);
    } catch (error) {
      sendError(exchange, error);
    }
  };
}
