/** HTML read on a thread, within limits that its nodes as objects of a page have to keep (docs/interface/pages.md 8.2). */
import type { Config } from '../../config/index.js';
import type { Exchange } from '../../http/index.js';
import { DEEPEST_PAGE } from '../../schema/index.js';
import { ScriptError, type ScriptThreads } from '../../scripting/index.js';
import type { HtmlElement, HtmlNode, Mark } from '../../../workers/html/nodes.js';
import type { HtmlTree, HtmlTreeJob } from '../../../workers/html/tree.js';

export type { HtmlElement, HtmlNode, Mark };

/** Characters, nodes and levels of one text. */
export const MOST_HTML = 4 * 1024 * 1024;
const MOST_NODES = 20_000;
const DEEPEST = 240;
/** Milliseconds. */
const TIME = 10_000;
/** The same of a file of an application. */
export const MOST_OF_FILE = 32 * 1024 * 1024;
const NODES_OF_FILE = 100_000;
const TIME_OF_FILE = 60_000;

/** For whom the thread works, and how long. */
type For = Parameters<ScriptThreads['run']>[3]['run'];

/** Work of a request: it ends with its client, and when it takes longer than scripts may. */
export function boundedBy(exchange: Exchange, config: Config): For {
  return { begun: performance.now(), parts: { config }, options: { request: { exchange } } };
}

export interface ReadHtml {
  /** Named in messages. */
  readonly what: string;
  readonly threads: ScriptThreads;
  readonly run: For;
  readonly isPage?: boolean;
  /** What exports say in comments and elements of their own counts. */
  readonly isExport?: boolean;
  /** A file of an application: larger, and to become what it was exported from. */
  readonly asWritten?: boolean;
  /** Told when it is not written as exports are, and was read as browsers do. */
  readonly onLoose?: () => void;
}

/** The nodes that HTML consists of. Throws `ScriptError` 422 for what is too large. */
export async function readHtml(
  html: string,
  { what, threads, run, isPage = false, isExport = false, asWritten = false, onLoose }: ReadHtml,
): Promise<readonly HtmlNode[]> {
  const longest = asWritten ? MOST_OF_FILE : MOST_HTML;
  if (html.length > longest) throw new ScriptError(422, `${what}: HTML has at most ${String(longest)} characters.`);
  const most = asWritten ? NODES_OF_FILE : MOST_NODES;
  const deepest = asWritten ? DEEPEST_PAGE : DEEPEST;
  const job: HtmlTreeJob = { html, isPage, isExport, asWritten, most, deepest };
  const time = asWritten ? TIME_OF_FILE : TIME;
  const outcome = await threads.run<HtmlTree>('html/tree', job, what, { run, time });
  if ('problem' in outcome) throw new ScriptError(422, `${what} cannot take this HTML: ${outcome.problem}.`);
  if (outcome.value.isLoose) onLoose?.();
  return outcome.value.nodes;
}
