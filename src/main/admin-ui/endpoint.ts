/** `/svc/` and `/svc/ui`: the Admin UI (contract, Admin UI; docs/interface/admin-ui.md). */
import { builtFolder } from '../../shared/built-folder.js';
import { HttpError, openPageFiles, type Exchange, type Handler } from '../http/index.js';
import { sendPreview } from './preview.js';
import { stateOf, type StateParts } from './state.js';

const PAGE = '/svc/';
const FILES = '/svc/ui/';
/** What the page asks for before it knows who sits in front of it. */
const STATE = '/svc/ui/state';
const PREVIEW = '/svc/ui/preview';

export interface AdminUiParts extends StateParts {
  /** `httpservice.gzip.enabled` */
  readonly packs: () => boolean;
  readonly sendError: (exchange: Exchange, error: unknown) => void;
}

/** Whether a path is the page itself, one of its files, or what it asks for. */
export function isAdminUi(path: string): boolean {
  return path === PAGE || path === '/svc/index.html' || path.startsWith(FILES);
}

/** Answers all paths of the Admin UI. */
export async function createAdminUi(parts: AdminUiParts): Promise<Handler> {
  const files = await openPageFiles(builtFolder('ui'), parts.packs, 'same-origin');
  return async (exchange) => {
    try {
      if (exchange.path === STATE) await sendState(exchange, parts);
      else if (exchange.path === PREVIEW) await sendPreview(exchange, parts.requests);
      else await files.answer(exchange, fileOf(exchange.path));
    } catch (error) {
      parts.sendError(exchange, error);
    }
  };
}

function fileOf(path: string): string {
  return `admin/${path.startsWith(FILES) ? path.slice('/svc/'.length) : 'index.html'}`;
}

async function sendState(exchange: Exchange, parts: AdminUiParts): Promise<void> {
  const { method } = exchange;
  if (method !== 'GET' && method !== 'HEAD')
    throw new HttpError(405, `${method} not allowed on ${exchange.path}`, { Allow: 'GET,HEAD' });
  const state = await stateOf(exchange, parts);
  if (exchange.responded) return;
  exchange.setHeader('Content-Type', 'application/json; charset=utf-8');
  exchange.setHeader('Cache-Control', 'no-store');
  exchange.end(JSON.stringify(state));
}
