/**
 * `/svc/proxy?url=`: a page of another server, for those who want to look at it or take parts of it (docs/interface/monitoring.md 8). Whoever has
 * written that page must gain nothing by being shown at an address of this server: it comes into a sandbox without scripts, forms and this
 * origin, nothing but pages comes at all, and nothing that the other server says of cookies.
 */
import { escapeMarkup } from '../../../shared/escape-markup.js';
import { withinTime } from '../../../shared/within-time.js';
import type { Config } from '../../config/index.js';
import { bringsForm, HttpError, sentFields, type Exchange, type Handler } from '../../http/index.js';
import { Arrival, type Requests } from '../../request/index.js';
import type { Actor } from '../../schema/index.js';
import { callOut, charsetOf, ScriptError, textIn, urlOf, type OutboundAnswer } from '../../scripting/index.js';
import { sendError } from '../errors.js';

export const PROXY = '/svc/proxy';
const ALLOW = 'GET,HEAD,OPTIONS';
const MB = 1024 * 1024;
const PAGE = /^(?:text\/html|application\/xhtml\+xml)\b/i;
const PARAMETERS: ReadonlySet<string> = new Set(['url', 'authUsername', 'authPassword', 'cookie']);
/** Whoever names a proxy has this server connect to wherever he likes. */
const REFUSED: ReadonlySet<string> = new Set(['proxyUrl', 'proxyUsername', 'proxyPassword']);
/** A cookie of a request is one line. */
const COOKIE = /^[\x20-\x7e]{0,8000}$/;

export interface ProxyParts {
  readonly config: Config;
  readonly requests: Requests;
}

/** Who may use it is decided by a setting alone. */
class ProxyArrival extends Arrival {
  constructor(
    exchange: Exchange,
    private readonly mode: 'protected' | 'public',
  ) {
    super(exchange);
  }

  find(): undefined {
    return undefined;
  }

  signature(): undefined {
    return undefined;
  }

  override admit({ id }: Actor): void {
    if (this.mode === 'protected' && id === undefined) throw new HttpError(401, 'Access denied');
  }
}

/** The handler of `/svc/proxy`. */
export function createProxy({ config, requests }: ProxyParts): Handler {
  return async (exchange) => {
    try {
      const { method } = exchange;
      exchange.setHeader('Cache-Control', 'private, no-store');
      const mode = config.get('application.proxy.mode');
      if (mode === 'disabled') {
        exchange.status = 503;
        exchange.end();
        return;
      }
      if (method === 'OPTIONS') {
        exchange.setHeader('Allow', ALLOW);
        exchange.end();
        return;
      }
      if (!['GET', 'HEAD', 'POST'].includes(method))
        throw new HttpError(405, `${method} is not possible here.`, { Allow: ALLOW });
      await requests.enter(new ProxyArrival(exchange, mode));
      const asked = askedFor(await parametersOf(exchange));
      sendPage(exchange, await pageAt(asked, config, exchange));
    } catch (error) {
      sendError(exchange, error);
    }
  };
}

/** Of the address; a form may bring what should not stand in one. */
async function parametersOf(exchange: Exchange): Promise<ReadonlyMap<string, string>> {
  const all = new Map(new URLSearchParams(exchange.query));
  if (exchange.method !== 'POST') return all;
  if (!bringsForm(exchange)) throw new HttpError(415, 'POST takes a form with the parameters.');
  for (const [name, value] of await sentFields(exchange)) all.set(name, value);
  return all;
}

interface Asked {
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly credentials: { readonly username: string; readonly password: string; readonly preemptive: true } | undefined;
}

/** Throws `HttpError` 400. */
function askedFor(parameters: ReadonlyMap<string, string>): Asked {
  for (const name of parameters.keys()) {
    if (REFUSED.has(name))
      throw new HttpError(
        400,
        `${name} is not possible: calls go through the proxy of the settings (application.proxy.http.url).`,
      );
    if (!PARAMETERS.has(name)) throw new HttpError(400, `The parameter ${name} is not known.`);
  }
  const text = parameters.get('url') ?? '';
  if (text === '') throw new HttpError(400, 'The parameter url is missing.');
  const cookie = parameters.get('cookie') ?? '';
  if (!COOKIE.test(cookie)) throw new HttpError(400, 'This is no cookie.');
  const username = parameters.get('authUsername') ?? '';
  const password = parameters.get('authPassword') ?? '';
  try {
    return {
      url: urlOf(text),
      headers: new Map(cookie === '' ? [] : [['Cookie', cookie]]),
      credentials: username === '' ? undefined : { username, password, preemptive: true },
    };
  } catch (error) {
    throw new HttpError(400, error instanceof Error ? error.message : String(error));
  }
}

/** The page with the base of its links; what goes wrong is a page, too. */
async function pageAt({ url, headers, credentials }: Asked, config: Config, exchange: Exchange): Promise<string> {
  const time = config.get('proxyservlet.timeout');
  const call = {
    method: 'GET',
    url,
    headers,
    body: undefined,
    credentials,
    followsRedirects: true,
    connectTime: time,
    checksCertificates: true,
    most: config.get('proxyservlet.maxsize') * MB,
    // Of administrators, too: others can have their browsers ask.
    publicOnly: true,
  };
  try {
    return await withinTime(time, exchange.signal, async (signal) => {
      const answer = await callOut(call, config, signal);
      if (!PAGE.test(answer.contentType))
        return errorPage(`There is no page at this address, but ${answer.contentType || 'something without a type'}.`);
      return withBase(await textOf(answer), answer.url);
    });
  } catch (error) {
    if (error instanceof ScriptError) return errorPage(error.message);
    throw error;
  }
}

function textOf({ contentType, pieces }: OutboundAnswer): Promise<string> {
  const named = charsetOf(contentType);
  return textIn(named === undefined ? ['utf-8'] : [named, 'utf-8'], pieces);
}

function withBase(page: string, url: URL): string {
  const base = `<base href="${escapeMarkup(url.href)}">`;
  const head = /<head(?:\s[^>]*)?>/i.exec(page);
  if (head === null) return base + page;
  const at = head.index + head[0].length;
  return page.slice(0, at) + base + page.slice(at);
}

function errorPage(message: string): string {
  return `<!DOCTYPE html><html><head><title>Error</title></head><body><p>${escapeMarkup(message)}</p></body></html>`;
}

function sendPage(exchange: Exchange, page: string): void {
  exchange.setHeader('Content-Type', 'text/html;charset=utf-8');
  exchange.setHeader('Content-Security-Policy', 'sandbox');
  exchange.setHeader('X-Content-Type-Options', 'nosniff');
  exchange.setHeader('Referrer-Policy', 'no-referrer');
  exchange.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  exchange.end(page);
}
