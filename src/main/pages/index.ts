/** The room of pages: which page a path means, and the HTML it becomes. */
export { Pages } from './serve/pages.js';
export { treeMethods, type TreeResult } from './tree/index.js';
export type { PagesParts } from './serve/parts.js';
