/** Requests begin with all that any thread of the process has shown (docs/design/threads.md 5). */
import type { Graph } from '../graph/index.js';
import type { Handler } from '../http/index.js';
import { sendError } from '../rest/index.js';

/** `handler`, once who keeps something in this thread is as new as in any other; at once where that is so. */
export function beginningNow(graph: Pick<Graph, 'current'>, handler: Handler): Handler {
  return (exchange) => {
    const current = graph.current();
    if (current === undefined) return handler(exchange);
    return current.then(
      () => handler(exchange),
      (error: unknown) => {
        sendError(exchange, error);
      },
    );
  };
}
