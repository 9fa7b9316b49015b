/** The scripts that pages load from the service, from memory (docs/interface/pages.md 7.4). */
import { fileURLToPath } from 'node:url';
import { builtFolder } from '../../../shared/built-folder.js';
import { KeptFiles, type Exchange, type Handler } from '../../http/index.js';

const BASE = '/svc/js/frontend/';

/** Whether a path is that of such a script, or would be. */
export function isFrontend(path: string): boolean {
  return path.startsWith(BASE);
}

export interface FrontendParts {
  /** `httpservice.gzip.enabled` */
  readonly packs: () => boolean;
  readonly sendError: (exchange: Exchange, error: unknown) => void;
}

/** Answers the paths of all scripts that there are. */
export async function serveFrontend({ packs, sendError }: FrontendParts): Promise<Handler> {
  const scripts = await KeptFiles.open(fileURLToPath(builtFolder('frontend')), { packs, caching: () => 'max-age=0' });
  return async (exchange) => {
    try {
      await scripts.answer(exchange, exchange.path.slice(BASE.length));
    } catch (error) {
      sendError(exchange, error);
    }
  };
}
