/** The first fork of the road: which room answers which path. */
import { isAdminUi } from '../admin-ui/index.js';
import { isConfiguration } from '../configuration/index.js';
import { isDeploy } from '../deployment/index.js';
import { isResumable, isUpload, type Files } from '../files/index.js';
import type { Exchange, Handler } from '../http/index.js';
import { EVENT_SOURCE } from '../live/index.js';
import { isFrontend, type Pages } from '../pages/index.js';
import { PAGES, servletOf } from './servlets.js';
import type { Standstill } from '../request/index.js';
import {
  answerOff,
  answerUnbuilt,
  isConfirmationLink,
  isCsv,
  isFlow,
  isForm,
  isImage,
  PROXY,
  type Welcome,
} from '../rest/index.js';

export interface SiteParts {
  /** Those that are active (`httpservice.servlets`). */
  readonly servlets: ReadonlySet<string>;
  readonly rest: Handler;
  readonly flow: Handler;
  /** Pages of other servers. */
  readonly proxy: Handler;
  /** Lists as tables. */
  readonly csv: Handler;
  /** Images in other sizes. */
  readonly images: Handler;
  /** Logins with other providers. */
  readonly oauth: Handler;
  /** Forms to log in and out. */
  readonly forms: Handler;
  /** Exports and imports as archives. */
  readonly deploy: Handler;
  /** Links of mails. */
  readonly confirmationLinks: Handler;
  /** The Admin UI; undefined: it is not active. */
  readonly adminUi: Handler | undefined;
  /** The Configuration Interface; undefined: it is not active. */
  readonly configuration: Handler | undefined;
  /** Whether people are led to it first. */
  readonly needsSetup: () => boolean;
  /** What a proxy in front takes off paths (`application.root.path`). */
  readonly rootPath: () => string;
  /** The stream of events; undefined: the servlet is not active. */
  readonly eventSource: Handler | undefined;
  readonly files: Files;
  readonly pages: Pages;
  /** What the service tells of itself, by its path. */
  readonly monitoring: ReadonlyMap<string, Handler>;
  /** Scripts for browsers. */
  readonly frontend: Handler;
  /** The page at the addresses where people begin. */
  readonly welcome: Welcome;
  readonly standstill: Standstill;
}

/** Nothing of REST lies there, so that browsers get a page. */
const ROOT = '/svc/rest/';

/** Where people begin. */
const ROOTS: ReadonlySet<string> = new Set(['/', '/svc', '/svc/', '/svc/index.html']);

function leadToSetup(exchange: Exchange, rootPath: string): void {
  exchange.status = 302;
  exchange.setHeader('Location', `${rootPath}/svc/config`);
  exchange.setHeader('Cache-Control', 'no-cache, no-store, must-revalidate');
  exchange.end();
}

/** Handler of all paths: what is nobody else's is a page's or a file's. */
export function createSite(parts: SiteParts): Handler {
  const rest = parts.standstill.watching(parts.rest);
  const csv = parts.standstill.watching(parts.csv);
  const pages = parts.standstill.watching(parts.pages.serve);
  return (exchange) => {
    const { path } = exchange;
    if (parts.configuration !== undefined) {
      if (isConfiguration(path)) return parts.configuration(exchange);
      if (ROOTS.has(path) && parts.needsSetup()) {
        leadToSetup(exchange, parts.rootPath());
        return;
      }
    }
    if (parts.adminUi !== undefined && isAdminUi(path)) {
      // Programs are told at `/svc/` what they are told at `/`.
      if (path === '/svc/' && parts.welcome.answerProgram(exchange)) return;
      return parts.adminUi(exchange);
    }
    const servlet = servletOf(path);
    if (servlet !== undefined && !parts.servlets.has(servlet)) return answerOff(exchange, servlet);
    if (path.startsWith('/svc/rest/') || path === '/svc/rest') {
      if (path.length <= ROOT.length && parts.welcome.answerBrowser(exchange)) return;
      return rest(exchange);
    }
    if (path.startsWith('/svc/openapi/') || path === '/svc/openapi') return rest(exchange);
    if (isCsv(path)) return csv(exchange);
    if (isFlow(path)) return parts.flow(exchange);
    if (isImage(path)) return parts.images(exchange);
    if (path === PROXY) return parts.proxy(exchange);
    if (path.startsWith('/oauth/')) return parts.oauth(exchange);
    if (isForm(path)) return parts.forms(exchange);
    if (isConfirmationLink(exchange)) return parts.confirmationLinks(exchange);
    if (isDeploy(path)) return parts.deploy(exchange);
    const monitoring = servlet === undefined ? undefined : parts.monitoring.get(servlet);
    if (monitoring !== undefined) return monitoring(exchange);
    if (path === EVENT_SOURCE && parts.eventSource !== undefined) return parts.eventSource(exchange);
    if (isResumable(path)) return parts.files.resumable(exchange);
    if (isUpload(path)) return parts.files.upload(exchange);
    if ((path === '/svc' || path === '/svc/') && parts.welcome.answer(exchange)) return;
    if (isFrontend(path)) return parts.frontend(exchange);
    if (answerUnbuilt(exchange)) return;
    return parts.servlets.has(PAGES) ? pages(exchange) : answerOff(exchange, PAGES);
  };
}
