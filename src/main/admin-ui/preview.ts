/**
 * `/svc/ui/preview`: shows HTML that somebody is writing, such as that of a mail, as a page of its own (docs/interface/admin-ui.md 2.1). The policy
 * gives it an origin of its own, without scripts and forms, whoever opens it; styles within it count, which the page of the Admin UI may not have.
 */
import { HttpError, type Exchange } from '../http/index.js';
import type { Requests } from '../request/index.js';

const FORM = /^application\/x-www-form-urlencoded/i;
/** Bytes of a form. */
const LIMIT = 4 * 1024 * 1024;
const POLICY = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  // No picture of elsewhere: who has sent it would hear that it is looked at.
  'img-src data:',
  "frame-ancestors 'self'",
].join('; ');

/** Answers a form with `html` by that text. Throws `AccessError` for cookies that a page of another site sends, `HttpError` 401, 405, 413, 415. */
export async function sendPreview(exchange: Exchange, requests: Requests): Promise<void> {
  if (exchange.method !== 'POST')
    throw new HttpError(405, `${exchange.method} not allowed on ${exchange.path}`, { Allow: 'POST' });
  const { id, isSuperuser } = await requests.sender(exchange);
  if (id === undefined && !isSuperuser) throw new HttpError(401, 'Previews are for who is logged in.');
  if (!FORM.test(exchange.header('content-type'))) throw new HttpError(415, 'The body must be that of a form');
  const html = new URLSearchParams((await exchange.readBody(LIMIT)).toString()).get('html') ?? '';
  exchange.setHeader('Content-Type', 'text/html; charset=utf-8');
  exchange.setHeader('Content-Security-Policy', POLICY);
  exchange.setHeader('Referrer-Policy', 'no-referrer');
  // Names in links are not asked for either.
  exchange.setHeader('X-DNS-Prefetch-Control', 'off');
  exchange.setHeader('X-Content-Type-Options', 'nosniff');
  exchange.setHeader('Cache-Control', 'no-store');
  exchange.end(html);
}
