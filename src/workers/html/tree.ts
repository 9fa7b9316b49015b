/** Reads HTML with the parser of HTML5, on a thread: it may be long, and strangers may have written it (`pages/imports`). */
import { behindRemarks } from '../../shared/markup-start.js';
import { parse, parseFragment, serialize, serializeOuter, type DefaultTreeAdapterTypes } from 'parse5';
import { annotated, ID, readExport, VOID } from './export-form.js';
import type { HtmlNode } from './nodes.js';
import { outcomeOf, type Outcome } from '../outcome.js';

type Parsed = DefaultTreeAdapterTypes.ChildNode;

export interface HtmlTreeJob {
  readonly html: string;
  /** A whole page, of which `html` is the root, whatever the text begins with. */
  readonly isPage: boolean;
  /** What exports say in comments and elements of their own counts (`export-form.ts`). */
  readonly isExport?: boolean;
  /** It belongs to an application, and is to become what it was (`readExport`). */
  readonly asWritten?: boolean;
  /** Nodes, and levels of them. */
  readonly most: number;
  readonly deepest: number;
}

/** Blanks and comments may stand before the first tag. */
const PAGE = /^<(?:!doctype|html)[\s/>]/i;
const HEAD_OR_BODY = /^<(head|body)[\s/>]/i;
/** Characters of what is in elements of exports, all together: those in others count with each of them. */
const MOST_SOURCES = 16 * 1024 * 1024;
/** Signs of the name of an element. */
const LONGEST_TAG = 100;
/** Line ends and blanks are a part of what is in them. */
const EXACT: ReadonlySet<string> = new Set(['pre', 'textarea', 'listing', 'script', 'style']);

export interface HtmlTree {
  readonly nodes: readonly HtmlNode[];
  /** Of an export: it is not written as exports are, and was read as browsers do. */
  readonly isLoose: boolean;
}

export default function read(job: HtmlTreeJob): Promise<Outcome<HtmlTree>> {
  return outcomeOf(() => {
    let left = job.most;
    const sources = new Sources();
    const nodeOf = (node: Parsed, level: number, isExact: boolean): HtmlNode[] => {
      const made = shallow(node, isExact);
      if (made === undefined) return [];
      if (--left < 0) throw tooMany(job);
      if (level > job.deepest) throw tooDeep(job);
      if (made.kind !== 'element' || !('tagName' in node)) return [made];
      const children = 'content' in node ? node.content.childNodes : node.childNodes;
      const exact = isExact || EXACT.has(node.tagName);
      const { startLine } = node.sourceCodeLocation ?? {};
      const line = startLine === undefined ? {} : { line: startLine };
      const source =
        job.isExport === true && made.tag.startsWith('svc:') ? { source: sources.with(serialize(node)) } : {};
      return [{ ...made, ...line, ...source, children: children.flatMap((one) => nodeOf(one, level + 1, exact)) }];
    };
    const loose = (): readonly HtmlNode[] => rootsOf(job).flatMap((one) => nodeOf(one, 1, false));
    if (job.isExport !== true) return { nodes: loose(), isLoose: true };
    const written = readExport(job.html, job.asWritten);
    // A page has a root; of HTML without one the parser makes it.
    if (written === undefined || (job.isPage && !written.some(isRoot))) {
      // In a script or style its comments would be text.
      if (/@svc:sandboxed/i.test(job.html))
        throw new Error(
          'it says that users who are no administrators have written parts of it (@svc:sandboxed), but it is not closed and escaped as exports are',
        );
      if (job.asWritten === true) mustHaveEnd(job.html);
      return { nodes: annotated(loose()), isLoose: true };
    }
    mustFit(written, 1, job, { left: job.most, sources });
    return { nodes: annotated(written), isLoose: false };
  });
}

/** Throws for a file of which a part is gone: what is not there must not look as if it had never been. */
function mustHaveEnd(html: string): void {
  const last = html.lastIndexOf('<');
  if (last > html.lastIndexOf('>') && /[a-z!/]/i.test(html[last + 1] ?? ''))
    throw new Error('it ends within a tag or comment, so that the file seems to be cut off');
  // The first element that an export has written.
  const start = html.lastIndexOf('<', html.indexOf(ID));
  const tag = start < 0 ? undefined : /^<([a-z][\w:.-]*)/i.exec(html.slice(start, start + LONGEST_TAG))?.[1];
  if (tag === undefined || VOID.test(tag) || html.toLowerCase().includes(`</${tag.toLowerCase()}>`, start)) return;
  const line = html.slice(0, start).split('\n').length;
  throw new Error(`<${tag}> in line ${String(line)} has no end, so that the file seems to be cut off`);
}

function isRoot(node: HtmlNode): boolean {
  return node.kind === 'element' && (node.tag === 'html' || node.tag.startsWith('svc:'));
}

/** Counts what goes from the thread to the loop beyond the text itself. */
class Sources {
  #left = MOST_SOURCES;

  with(source: string): string {
    this.#left -= source.length;
    if (this.#left < 0)
      throw new Error(`what is in its svc: elements has more than ${String(MOST_SOURCES)} characters`);
    return source;
  }
}

interface Budget {
  left: number;
  readonly sources: Sources;
}

function mustFit(nodes: readonly HtmlNode[], level: number, job: HtmlTreeJob, budget: Budget): void {
  for (const node of nodes) {
    if (--budget.left < 0) throw tooMany(job);
    if (level > job.deepest) throw tooDeep(job);
    if (node.kind !== 'element') continue;
    if (node.source !== undefined) budget.sources.with(node.source);
    mustFit(node.children, level + 1, job, budget);
  }
}

function tooMany({ most }: HtmlTreeJob): Error {
  return new Error(`it has more than ${String(most)} nodes`);
}

function tooDeep({ deepest }: HtmlTreeJob): Error {
  return new Error(`its elements are more than ${String(deepest)} levels deep`);
}

function rootsOf({ html, isPage, asWritten = false }: HtmlTreeJob): readonly Parsed[] {
  // What is in `noscript` is to be nodes, as in a browser without scripts.
  const options = { scriptingEnabled: false, sourceCodeLocationInfo: asWritten };
  const start = behindRemarks(html);
  const part = HEAD_OR_BODY.exec(start)?.[1]?.toLowerCase();
  if (!isPage && !PAGE.test(start) && part === undefined) return parseFragment(html, options).childNodes;
  const { childNodes } = parse(html, options);
  if (part === undefined || isPage) return childNodes;
  const root = childNodes.find((one) => one.nodeName === 'html');
  const parts = root !== undefined && 'childNodes' in root ? root.childNodes : [];
  // Of the two the one that nothing was said of is empty, and nobody has asked for it.
  return parts.filter(
    (one) => one.nodeName === part || ('childNodes' in one && one.childNodes.length > 0) || !('tagName' in one),
  );
}

/** A node by itself; undefined: it is none. */
function shallow(node: Parsed, isExact: boolean): HtmlNode | undefined {
  if (node.nodeName === '#text' && 'value' in node) {
    if (node.value.trim() === '') return undefined;
    return { kind: 'text', text: isExact ? node.value : node.value.replace(/^[\n\r\t]+|[\n\r\t]+$/g, '') };
  }
  if (node.nodeName === '#comment' && 'data' in node) {
    return node.data.trim() === '' ? undefined : { kind: 'comment', text: node.data };
  }
  if (!('tagName' in node)) return undefined;
  if (node.tagName === 'svg') return { kind: 'source', text: serializeOuter(node) };
  const attributes = node.attrs.map(({ prefix, name, value }): readonly [string, string] => [
    prefix === undefined || prefix === '' ? name : `${prefix}:${name}`,
    value,
  ]);
  return { kind: 'element', tag: node.tagName, attributes, children: [] };
}
