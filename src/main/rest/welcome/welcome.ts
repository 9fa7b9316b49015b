/** What the addresses answer that people type first: `/`, `/svc` and, for browsers, `/svc/rest`. */
import type { Config } from '../../config/index.js';
import type { Exchange } from '../../http/index.js';
import { RestError, sendError } from '../errors.js';
import { prefersHtml } from './accept.js';
import { WELCOME_POLICY, welcomePage, type WelcomeFacts } from './page.js';

const METHODS = 'GET,HEAD,OPTIONS';
const LINKS = {
  rest: '/svc/rest',
  login: '/svc/rest/login',
  openapi: '/svc/openapi',
  apiPage: '/svc/openapi/ui/',
} as const;

export class Welcome {
  constructor(
    private readonly config: Config,
    private readonly version: string,
  ) {}

  /** Answers a browser with the page and others with JSON. False: there is no such page (`httpservice.welcome.enabled`). */
  answer(exchange: Exchange): boolean {
    if (!this.config.get('httpservice.welcome.enabled')) return false;
    const { method } = exchange;
    if (method === 'OPTIONS') {
      exchange.setHeader('Allow', METHODS);
      exchange.end();
    } else if (method !== 'GET' && method !== 'HEAD') {
      const message = `${method} not allowed on ${exchange.path}`;
      sendError(exchange, new RestError(405, message, [], { Allow: METHODS }));
    } else if (prefersHtml(exchange.header('accept'))) this.#sendPage(exchange);
    else this.#sendJson(exchange);
    return true;
  }

  /** The same for browsers alone. False: it is somebody else's request. */
  answerBrowser(exchange: Exchange): boolean {
    const reads = exchange.method === 'GET' || exchange.method === 'HEAD';
    return reads && prefersHtml(exchange.header('accept')) && this.answer(exchange);
  }

  /** The same for programs alone. False: a browser asks, or nobody who reads. */
  answerProgram(exchange: Exchange): boolean {
    const reads = exchange.method === 'GET' || exchange.method === 'HEAD';
    return reads && !prefersHtml(exchange.header('accept')) && this.answer(exchange);
  }

  #facts(): WelcomeFacts {
    const { config, version } = this;
    return {
      name: config.get('application.title'),
      version,
      instance: config.get('application.instance.name'),
      stage: config.get('application.instance.stage'),
    };
  }

  #sendPage(exchange: Exchange): void {
    const status = /(?:^|&)status=(\d{3})(?:&|$)/.exec(exchange.query)?.[1];
    exchange.vary('Accept');
    exchange.setHeader('Content-Type', 'text/html;charset=utf-8');
    exchange.setHeader('Cache-Control', 'no-cache');
    exchange.setHeader('Content-Security-Policy', WELCOME_POLICY);
    exchange.setHeader('X-Content-Type-Options', 'nosniff');
    exchange.setHeader('Referrer-Policy', 'same-origin');
    exchange.end(welcomePage(this.#facts(), status));
  }

  #sendJson(exchange: Exchange): void {
    exchange.vary('Accept');
    exchange.setHeader('Content-Type', 'application/json;charset=utf-8');
    exchange.setHeader('Cache-Control', 'no-cache');
    exchange.end(`${JSON.stringify({ ...this.#facts(), links: LINKS }, null, 2)}\n`);
  }
}
