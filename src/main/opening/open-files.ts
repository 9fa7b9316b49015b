/** Files and pages of this thread, which share the paths that no other room has. */
import { Files, type FilesParts } from '../files/index.js';
import { Pages, type PagesParts } from '../pages/index.js';
import { explainError, sendError, writeOptions, type Welcome } from '../rest/index.js';

/** `pages` may be made later; they answer what no file does, and before `welcome`. */
export function openFiles(
  parts: Omit<FilesParts, 'write' | 'sendError' | 'failed' | 'otherwise'>,
  pages: () => Pages,
  welcome: Welcome,
): Files {
  return new Files({
    ...parts,
    write: () => writeOptions(parts.config, 'upload'),
    sendError,
    failed: (request, error) => pages().failed(request, error),
    otherwise: async (request, path) => {
      if (await pages().otherwise(request, path)) return true;
      return path === '/' && request.exchange.method !== 'POST' && welcome.answer(request.exchange);
    },
  });
}

/** `files` answer where there is no page. */
export function openPages(
  parts: Omit<PagesParts, 'idPattern' | 'serveFile' | 'sendError' | 'explainError'>,
  files: Files,
): Pages {
  return new Pages({
    ...parts,
    idPattern: () => writeOptions(parts.config, 'script').idPattern,
    serveFile: files.serve,
    sendError,
    explainError,
  });
}
