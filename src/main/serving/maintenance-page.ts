/**
 * What the main ports show in maintenance mode: the page with the message, or files of an own page's folder
 * (docs/interface/operations.md 5.4). Everything that shows it is 503 with `Retry-After`, so that crawlers come back and load balancers look elsewhere.
 */
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import { contentType } from 'mime-types';
import { logger } from '../../shared/log.js';
import type { Config } from '../config/index.js';
import { unescaped, type Exchange, type Handler } from '../http/index.js';
import { createHealthInMaintenance } from '../monitoring/index.js';
import { HEALTH, servletOf } from './servlets.js';

const log = logger('maintenance');
/** Seconds until a client should try again. */
const RETRY_AFTER = '120';
const TITLE = 'Maintenance Mode Active';
const REST = '/svc/rest';
const WELCOME_FILE = 'index.html';
/** The message is the operator's HTML; whatever stands in it runs nothing. */
const POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' https: data:; font-src 'self'; base-uri 'none'; form-action 'none'";
const STYLE =
  ':root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.05rem/1.6 system-ui,sans-serif}' +
  'main{max-width:38rem;padding:2rem}h1{font-size:1.6rem;margin:0 0 1rem}';

/** Handler of all paths of the main ports. Load balancers are answered there all the same. */
export function createMaintenancePage(
  config: Config,
  sendError: (exchange: Exchange, error: unknown) => void,
): Handler {
  const health = config.get('httpservice.servlets').includes(HEALTH) ? createHealthInMaintenance(sendError) : undefined;
  /** The folder that was said not to be there. */
  let missed = '';
  return async (exchange) => {
    const { method } = exchange;
    if (health !== undefined && servletOf(exchange.path) === HEALTH) {
      await health(exchange);
      return;
    }
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead) {
      refuse(exchange);
      return;
    }
    const folder = config.path('maintenance.resource.path');
    if (folder === '' || !(await isFolder(folder))) {
      if (folder !== missed)
        log.warn(`maintenance.resource.path: there is no folder ${folder}, so visitors get the page with the message`);
      missed = folder;
      if (isProgram(exchange)) refuse(exchange);
      else sendMessage(exchange, config.get('maintenance.message'));
      return;
    }
    const file = await fileIn(folder, exchange.path);
    if (exchange.responded) return;
    if (file !== undefined) await sendFile(exchange, file);
    else if (exchange.path === '/') sendMessage(exchange, config.get('maintenance.message'));
    else if (isProgram(exchange)) refuse(exchange);
    else {
      exchange.status = 302;
      exchange.setHeader('Location', '/');
      exchange.setHeader('Cache-Control', 'no-cache, no-store, must-revalidate');
      exchange.end();
    }
  };
}

/** Programs get the contract's error body: who asks for JSON, or at an address of REST without asking for a page. */
function isProgram(exchange: Exchange): boolean {
  const accept = exchange.header('accept').toLowerCase();
  return accept.startsWith('application/json') || (exchange.path.startsWith(REST) && !accept.includes('text/html'));
}

function refuse(exchange: Exchange): void {
  exchange.status = 503;
  exchange.setHeader('Content-Type', 'application/json; charset=utf-8');
  exchange.setHeader('Retry-After', RETRY_AFTER);
  exchange.setHeader('Cache-Control', 'no-store');
  exchange.end(JSON.stringify({ code: 503, message: 'The service is in maintenance mode', errors: [] }));
}

function sendMessage(exchange: Exchange, message: string): void {
  exchange.status = 503;
  exchange.setHeader('Content-Type', 'text/html;charset=utf-8');
  exchange.setHeader('Content-Security-Policy', POLICY);
  exchange.setHeader('Retry-After', RETRY_AFTER);
  exchange.setHeader('Cache-Control', 'no-store');
  exchange.end(
    `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n` +
      `<title>${TITLE}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n<main>\n<h1>${TITLE}</h1>\n<div>${message}</div>\n</main>\n</body>\n</html>\n`,
  );
}

interface Found {
  readonly path: string;
  readonly size: number;
  /** The page itself, by whatever address. */
  readonly isPage: boolean;
}

/** The file a path means; undefined: there is none in the folder, links that lead out of it included. */
async function fileIn(folder: string, path: string): Promise<Found | undefined> {
  const plain = unescaped(path);
  if (plain === undefined || plain.includes('\0')) return undefined;
  try {
    const root = await realpath(folder);
    const asked = resolve(root, `.${plain}`);
    const found = await realpath((await isFolder(asked)) ? join(asked, WELCOME_FILE) : asked);
    if (!found.startsWith(root + sep)) return undefined;
    const about = await stat(found);
    if (!about.isFile()) return undefined;
    return { path: found, size: about.size, isPage: extname(found) === '.html' };
  } catch {
    return undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (about) => about.isDirectory(),
    () => false,
  );
}

async function sendFile(exchange: Exchange, { path, size, isPage }: Found): Promise<void> {
  exchange.status = isPage ? 503 : 200;
  if (isPage) exchange.setHeader('Retry-After', RETRY_AFTER);
  exchange.setHeader('Content-Type', contentType(extname(path)) || 'application/octet-stream');
  exchange.setHeader('Cache-Control', isPage ? 'no-store' : 'max-age=0');
  if (exchange.method === 'HEAD') {
    exchange.setHeader('Content-Length', String(size));
    exchange.end();
    return;
  }
  const out = exchange.startStream(size);
  let sent = 0;
  try {
    for await (const chunk of createReadStream(path, { end: Math.max(0, size - 1) }) as AsyncIterable<Buffer>) {
      if (exchange.aborted) return;
      sent += chunk.length;
      await out.write(chunk);
    }
  } catch (error) {
    log.warn(`a file of maintenance.resource.path cannot be read: ${String(error)}`);
    throw error;
  }
  // A file that has become shorter meanwhile is told by a broken connection.
  if (sent !== size) throw new Error('a file of maintenance.resource.path has become shorter');
  await out.end();
}
