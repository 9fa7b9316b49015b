/** The first fork of the road: which room answers which path. */
import type { Exchange, Handler } from './http/index.js';
import { isConfirmationLink, isForm } from './rest/index.js';

export interface SiteParts {
  readonly rest: Handler;
  /** Logins with other providers. */
  readonly oauth: Handler;
  /** Forms to log in and out. */
  readonly forms: Handler;
  /** Links of mails. */
  readonly confirmationLinks: Handler;
}

/** Handler of all paths. Pages and files get theirs with their rooms. */
export function createSite(parts: SiteParts): Handler {
  return (exchange) => {
    const { path } = exchange;
    if (path.startsWith('/svc/rest/') || path === '/svc/rest') return parts.rest(exchange);
    if (path.startsWith('/svc/openapi/') || path === '/svc/openapi') return parts.rest(exchange);
    if (path.startsWith('/oauth/')) return parts.oauth(exchange);
    if (isForm(path)) return parts.forms(exchange);
    if (isConfirmationLink(exchange)) return parts.confirmationLinks(exchange);
    notFound(exchange);
    return undefined;
  };
}

function notFound(exchange: Exchange): void {
  exchange.status = 404;
  exchange.setHeader('Content-Type', 'application/json;charset=utf-8');
  exchange.end(
    '{\n  "code": 404,\n  "message": "There is nothing at this path. The REST interface is at /svc/rest.",\n  "errors": []\n}\n',
  );
}
