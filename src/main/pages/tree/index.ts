/** Trees of pages changed: what REST, scripts and imports of HTML share. */
export {
  appendChild,
  insertAll,
  insertBefore,
  ownerDocument,
  removeChild,
  removeNode,
  replaceChild,
  wrapNode,
} from './place.js';
export { cloneNode } from './clone.js';
export { createComponent, insertComponent, shadowDocument } from './components.js';
export { clonePage, createSimplePage, type NewPage } from './pages.js';
export { emptyRecycleBin, recycleBin } from './recycle.js';
export { updatePathAndParameters } from './routes.js';
export { treeMethod, treeMethods, type TreeMethod, type TreeResult, type TreeTypeMethod } from './methods.js';
