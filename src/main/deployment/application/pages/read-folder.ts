/** The files and entries of pages, components or templates, read and matched (docs/interface/deployment.md 3.6). */
import { readHtml, type HtmlNode } from '../../../pages/index.js';
import { ScriptError } from '../../../scripting/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { DeploymentError } from '../../common/errors.js';
import type { ReadingExport } from '../section.js';

const ENDING = '.html';
/** Files that are read at a time. */
const AT_ONCE = 4;

export interface ReadItem {
  readonly key: string;
  /** The file, for messages. */
  readonly place: string;
  readonly entry: JsonObject;
  readonly text: string;
}

/** Undefined: there are no entries. What has an entry and no file, or the other way round, is told and left out. */
export async function readFolder(reading: ReadingExport, folder: string): Promise<ReadItem[] | undefined> {
  const { source, report, signal } = reading;
  const entries = await source.objects(`${folder}.json`);
  if (entries === undefined) return undefined;
  const found: string[] = [];
  const others: string[] = [];
  for (const { name, isFolder } of (await source.list(folder)) ?? []) {
    const key = name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : undefined;
    if (key !== undefined && !isFolder && entries.has(key)) found.push(key);
    // What keeps a folder in a version control, and the like, is no file of this.
    else if (isFolder || key !== undefined) others.push(`${folder}/${name}`);
  }
  report.warnOfAll(`Without entry in ${folder}.json`, others);
  const there = new Set(found);
  report.warnOfAll(
    `Entries of ${folder}.json without file`,
    [...entries.keys()].filter((key) => !there.has(key)),
  );
  const items: ReadItem[] = [];
  for (const key of found) {
    signal.throwIfAborted();
    const place = `${folder}/${key}${ENDING}`;
    const said = await source.text(place);
    // That of a template is its text, from the first character on.
    const text = folder === 'templates' ? said : said?.replace(/^\uFEFF/, '');
    const entry = entries.get(key);
    if (text !== undefined && entry !== undefined) items.push({ key, place, entry, text });
  }
  return items;
}

/** Nodes of all files of one import together: their number is what they take of memory. */
export class NodeBudget {
  #left = MOST_NODES;

  take(nodes: readonly HtmlNode[], place: string): void {
    this.#left -= 1;
    for (const node of nodes) {
      this.#left -= 1;
      if (node.kind === 'element') this.take(node.children, place);
    }
    if (this.#left < 0)
      throw new DeploymentError(`${place}: all pages of an export have at most ${String(MOST_NODES)} nodes.`);
  }
}

const MOST_NODES = 2_000_000;

/** The nodes of files, in their order. Throws `DeploymentError` that names the file. */
export async function readTrees(
  { context, signal, report }: ReadingExport,
  items: readonly ReadItem[],
  budget: NodeBudget,
): Promise<(readonly HtmlNode[])[]> {
  const { config, scripting } = context;
  const loose: string[] = [];
  const read = async ({ place, text }: ReadItem): Promise<readonly HtmlNode[]> => {
    const run = { begun: performance.now(), parts: { config }, options: { signal } };
    const onLoose = (): number => loose.push(place);
    const options = { what: place, threads: scripting.parts.threads, run, isExport: true, asWritten: true, onLoose };
    try {
      return await readHtml(text, options);
    } catch (error) {
      if (error instanceof ScriptError) throw new DeploymentError(error.message, 'source', { cause: error });
      throw error;
    }
  };
  const trees: (readonly HtmlNode[])[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const part = items.slice(at, at + AT_ONCE);
    const some = await Promise.all(part.map(read));
    some.forEach((nodes, i) => budget.take(nodes, part[i]?.place ?? ''));
    trees.push(...some);
  }
  report.warnOfAll('Not closed and escaped as exports are, and read as browsers do', loose);
  return trees;
}
