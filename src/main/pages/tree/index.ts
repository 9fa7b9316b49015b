/** Trees of pages changed: what REST and scripts share. */
export { treeMethod, treeMethods, type TreeResult } from './methods.js';
