/** The first fork of the road: which room answers which path. */
import { isResumable, isUpload, type Files } from './files/index.js';
import type { Handler } from './http/index.js';
import { isConfirmationLink, isForm } from './rest/index.js';

export interface SiteParts {
  readonly rest: Handler;
  /** Logins with other providers. */
  readonly oauth: Handler;
  /** Forms to log in and out. */
  readonly forms: Handler;
  /** Links of mails. */
  readonly confirmationLinks: Handler;
  readonly files: Files;
}

/** Handler of all paths: what is nobody else's is a file's. */
export function createSite(parts: SiteParts): Handler {
  return (exchange) => {
    const { path } = exchange;
    if (path.startsWith('/svc/rest/') || path === '/svc/rest') return parts.rest(exchange);
    if (path.startsWith('/svc/openapi/') || path === '/svc/openapi') return parts.rest(exchange);
    if (path.startsWith('/oauth/')) return parts.oauth(exchange);
    if (isForm(path)) return parts.forms(exchange);
    if (isConfirmationLink(exchange)) return parts.confirmationLinks(exchange);
    if (isResumable(path)) return parts.files.resumable(exchange);
    if (isUpload(path)) return parts.files.upload(exchange);
    return parts.files.serve(exchange);
  };
}
