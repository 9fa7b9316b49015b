/** Which paths a front-end thread answers itself; all others are the main thread's. */
import type { Graph } from '../../graph/index.js';
import type { Exchange, Handler } from '../../http/index.js';
import { isFrontend, type Pages } from '../../pages/index.js';
import type { Standstill } from '../../request/index.js';
import { isConfirmationLink } from '../../rest/index.js';
import { beginningNow } from '../current.js';
import { PAGES, servletOf } from '../servlets.js';
import { handOver } from './elsewhere.js';

export interface FrontEndSiteParts {
  /** Those that are active (`httpservice.servlets`). */
  readonly servlets: ReadonlySet<string>;
  readonly rest: Handler;
  readonly pages: Pages;
  readonly frontend: Handler;
  readonly standstill: Standstill;
  readonly graph: Pick<Graph, 'current'>;
  readonly state: FrontEndState;
}

/** Whether a front-end thread answers anything. */
export interface FrontEndState {
  /** False: the main thread answers everything, as in maintenance mode. */
  servesSite: boolean;
}

/** Where people begin, which depends on the setup. */
const ROOTS: ReadonlySet<string> = new Set(['/', '/svc', '/svc/', '/svc/index.html']);

export function createFrontEndSite(parts: FrontEndSiteParts): Handler {
  const { graph, standstill, frontend } = parts;
  const rest = beginningNow(graph, standstill.watching(parts.rest));
  const pages = beginningNow(graph, standstill.watching(parts.pages.serve));
  const roomOf = ({ path }: Exchange): Handler => {
    const servlet = servletOf(path);
    if (servlet === 'JsonRestServlet' || servlet === 'OpenAPIServlet')
      return parts.servlets.has(servlet) && path.length > '/svc/rest/'.length ? rest : handOver;
    if (isFrontend(path)) return frontend;
    const isOfPages = !path.startsWith('/svc/') && !path.startsWith('/oauth/') && !ROOTS.has(path);
    return isOfPages && parts.servlets.has(PAGES) ? pages : handOver;
  };
  return (exchange) => {
    const { method } = exchange;
    if (!parts.state.servesSite || (method !== 'GET' && method !== 'HEAD') || isConfirmationLink(exchange))
      return handOver(exchange);
    return roomOf(exchange)(exchange);
  };
}
