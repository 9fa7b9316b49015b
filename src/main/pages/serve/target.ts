/** Where a path leads, as far as pages go (docs/interface/pages.md 2.2). */
import type { EditMode } from '../../files/index.js';
import type { GraphNode } from '../../graph/index.js';
import { unescaped, type SentFields } from '../../http/index.js';
import type { RequestContext } from '../../request/index.js';
import type { ScriptValue } from '../../scripting/index.js';

const LONG_FORM = '/svc/html';
const PREFIX = /^\/html(?=\/|$)/;

/** Something to be rendered. */
export interface Target {
  readonly root: GraphNode;
  /** 404 for an error page, for example. */
  readonly status: number;
  /** Of the error that it is shown for. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the page is about; undefined: nothing. */
  readonly details?: GraphNode | undefined;
  /** Of its placeholders, where a route led here; of a template those that were sent. */
  readonly values?: ReadonlyMap<string, ScriptValue>;
  /** Fields of a form that was sent to it. */
  readonly form?: SentFields;
  /** A part of a page, asked for by itself. */
  readonly isPart?: boolean;
  /** How those get it who edit it; absent: NONE. */
  readonly mode?: EditMode;
  /** The same request as that of the user whose name and password came with it, where the page asks for them. */
  readonly by?: RequestContext;
}

/** The segments of a path between its slashes, without empty ones. */
export function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((one) => one !== '');
}

/** The path in pages and files that a path of a request means; undefined: the service's own. */
export function pathOf(path: string): string | undefined {
  const decoded = unescaped(path);
  if (decoded.includes('\0')) return undefined;
  if (path.startsWith(`${LONG_FORM}/`)) return decoded.slice(LONG_FORM.length);
  if (decoded === '/svc' || decoded.startsWith('/svc/')) return undefined;
  return withoutPrefix(decoded) || '/';
}

/** `/html/a` means `/a`. */
export function withoutPrefix(path: string): string {
  return path.replace(PREFIX, '');
}
