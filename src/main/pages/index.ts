/** The room of pages: which page a path means, the HTML it becomes, and what is done when something happens in it. */
export { ACTIONS, type Action } from './actions/table.js';
export { eventInput, fixedText, type EventInput } from './actions/event-input.js';
export { mappingOf, parameterNames } from './model/action-mapping.js';
export { importSite, type SiteImport } from './imports/site/import-site.js';
export { importPage } from './imports/page.js';
export { withValues } from './imports/widget.js';
export { exportForm, exportKey } from './modes/export.js';
export {
  ExportedTrees,
  type ExportedItem,
  type ExportedTemplate,
  type ExportedTree,
  type TreesParts,
} from './imports/exported/trees.js';
export { linkAll } from './imports/exported/links.js';
export { idsIn, withoutShown } from './imports/exported/ids.js';
export { shadowDocument } from './tree/components.js';
export { buildBelow, buildInstead } from './imports/build.js';
export { boundedBy, MOST_HTML, readHtml, type HtmlNode, type ReadHtml } from './imports/read-html.js';
export { isFrontend, serveFrontend } from './serve/frontend-files.js';
export { Pages } from './serve/pages.js';
export { treeMethods, type TreeResult } from './tree/index.js';
export { appendChild as appendNode, removeChild as removeNode } from './tree/place.js';
export type { PagesParts } from './serve/parts.js';
