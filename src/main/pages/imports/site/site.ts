/** A page of another site made nodes, with the files that belong to it (docs/interface/pages.md 8.5). */
import { TimeSlice } from '../../../../shared/time-slice.js';
import { charsetOf, ScriptError, textIn, urlOf, type OutboundAnswer } from '../../../scripting/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import type { Placed } from '../../../files/index.js';
import { readHtml, type HtmlElement, type HtmlNode } from '../read-html.js';
import { candidates, resolved, useOf, written } from './addresses.js';
import { Assets, type ImportParts, type Missing } from './assets.js';
import { urlsIn, withUrls, type CssUrl } from './sheets.js';

export interface FetchedPage {
  readonly nodes: readonly HtmlNode[];
  readonly files: readonly Placed[];
  readonly missing: readonly Missing[];
}

export interface SiteParts extends ImportParts {
  /** Scripts of whoever asks are run: what points to a file follows it. */
  readonly runsScripts: boolean;
}

const WHAT = 'The import of a page';
/** Addresses of files in one page, each as often as it stands there. */
const MOST_ADDRESSES = 20_000;
/** Types of elements that can be linked with a file. */
const LINKING: ReadonlySet<string> = new Set(['img', 'link', 'script']);
/** Addresses that visitors are led to. They stay as they are, unless `base` said what they mean. */
const LEADS: Readonly<Record<string, string>> = { a: 'href', area: 'href', form: 'action' };

/** Fetches a page and its files, whose places are known then. Throws `ScriptError` 422 when there is no page. */
export async function fetchPage(address: string, parts: SiteParts): Promise<FetchedPage> {
  const answer = await pageAt(urlOf(address), parts);
  const html = await textIn(charsetsOf(answer), answer.pieces);
  const nodes = await readHtml(html, { what: WHAT, threads: parts.threads, run: parts.run, isPage: true });
  const base = baseOf(nodes, answer.url);
  const assets = new Assets(answer.url, parts);
  const inline = await inlineStyles(nodes, parts);
  const slice = new TimeSlice();
  let count = 0;
  for (const one of addressesIn(nodes, inline)) {
    if (++count > MOST_ADDRESSES)
      throw new ScriptError(422, `${WHAT} has failed: it names more than ${String(MOST_ADDRESSES)} addresses.`);
    if (slice.due) await slice.pause();
    const url = resolved(one, base ?? answer.url);
    if (url !== undefined) assets.want(url);
  }
  await assets.fetch();
  const rewriting = { assets, inline, base: base ?? answer.url, hasBase: base !== undefined, parts, page: answer.url };
  return { nodes: await rewritten(nodes, rewriting, slice), files: assets.all, missing: assets.missing };
}

/** Addresses of files that belong to a page. */
function* addressesIn(
  nodes: readonly HtmlNode[],
  inline: ReadonlyMap<string, readonly CssUrl[]>,
): Generator<string, void, undefined> {
  for (const element of elementsIn(nodes)) {
    for (const [name, value] of element.attributes) {
      const use = useOf(element, name);
      if (use === 'file') yield value;
      else if (use === 'files') for (const { address } of candidates(value)) yield address;
    }
  }
  for (const urls of inline.values()) for (const { address } of urls) yield address;
}

/** A path without a name is one of a folder; where the site has none, it is asked for as it was written. */
async function pageAt(url: URL, { fetching }: SiteParts): Promise<OutboundAnswer> {
  const asFolder = new URL(url);
  if (url.search === '' && /\/[^/.]+$/.test(url.pathname)) asFolder.pathname += '/';
  let answer = await fetching.page(asFolder);
  if (answer.status === 404 && asFolder.pathname !== url.pathname) answer = await fetching.page(url);
  if (answer.status < 200 || answer.status >= 300) {
    throw new ScriptError(422, `${WHAT} has failed: its address answers with status ${String(answer.status)}.`);
  }
  const type = (answer.contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (!['', 'text/html', 'application/xhtml+xml'].includes(type)) {
    throw new ScriptError(422, `${WHAT} has failed: its address answers with ${type.slice(0, 100)}, which is no page.`);
  }
  return answer;
}

/** As browsers find it: mark, header, what the page says in its beginning, UTF-8. */
function charsetsOf({ pieces, contentType }: OutboundAnswer): string[] {
  const head = pieces[0]?.subarray(0, 1024).toString('latin1') ?? '';
  if (head.startsWith('\xef\xbb\xbf')) return ['utf-8'];
  const said = /<meta\s[^>]*charset\s*=\s*["']?([\w-]{1,40})/i.exec(head)?.[1];
  const own = said !== undefined && /^utf-16/i.test(said) ? 'utf-8' : said;
  return [charsetOf(contentType), own, 'utf-8'].filter((one) => one !== undefined);
}

function* elementsIn(nodes: readonly HtmlNode[]): Generator<HtmlElement, void, undefined> {
  for (const node of nodes) {
    if (node.kind !== 'element') continue;
    yield node;
    yield* elementsIn(node.children);
  }
}

/** What `base` says that addresses mean; undefined: there is none. */
function baseOf(nodes: readonly HtmlNode[], page: URL): URL | undefined {
  for (const { tag, attributes } of elementsIn(nodes)) {
    const href = tag === 'base' ? attributes.find(([name]) => name === 'href')?.[1] : undefined;
    if (href !== undefined) return resolved(href, page);
  }
  return undefined;
}

/** Addresses in styles of the page itself, by their text. */
async function inlineStyles(
  nodes: readonly HtmlNode[],
  { threads, run }: SiteParts,
): Promise<ReadonlyMap<string, readonly CssUrl[]>> {
  const texts = new Set<string>();
  for (const { tag, attributes, children } of elementsIn(nodes)) {
    if (tag === 'style') for (const one of children) if (one.kind === 'text') texts.add(one.text);
    const style = attributes.find(([name]) => name === 'style')?.[1];
    if (style !== undefined) texts.add(style);
  }
  const list = [...texts].filter((one) => /url\(|@import/i.test(one));
  const found = await urlsIn(list, threads, run);
  return new Map(list.map((text, at) => [text, found[at] ?? []]));
}

interface Rewriting {
  readonly assets: Assets;
  readonly inline: ReadonlyMap<string, readonly CssUrl[]>;
  readonly base: URL;
  readonly hasBase: boolean;
  readonly page: URL;
  readonly parts: SiteParts;
}

async function rewritten(nodes: readonly HtmlNode[], rewriting: Rewriting, slice: TimeSlice): Promise<HtmlNode[]> {
  const made: HtmlNode[] = [];
  for (const node of nodes) {
    if (slice.due) await slice.pause();
    if (node.kind !== 'element') made.push(node);
    // What it says is done.
    else if (node.tag !== 'base') {
      const children = node.tag === 'style' ? node.children.map((one) => styled(one, rewriting)) : node.children;
      made.push({ ...withAddresses(node, rewriting), children: await rewritten(children, rewriting, slice) });
    }
  }
  return made;
}

function styled(node: HtmlNode, rewriting: Rewriting): HtmlNode {
  return node.kind === 'text' ? { ...node, text: cssOf(node.text, rewriting) } : node;
}

function cssOf(css: string, { inline, assets, base }: Rewriting): string {
  return withUrls(css, inline.get(css) ?? [], ({ address }) => assets.instead(address, base));
}

function withAddresses(element: HtmlElement, rewriting: Rewriting): HtmlElement {
  const { assets, base, hasBase, page, parts } = rewriting;
  const { tag } = element;
  const fields: JsonObject = {};
  const attributes: [string, string][] = [];
  let isChanged = false;
  for (const [name, value] of element.attributes) {
    const use = useOf(element, name);
    const url = use === undefined || use === 'files' ? undefined : resolved(value, base);
    const file = use === 'file' && url !== undefined ? assets.placed(url) : undefined;
    if (file !== undefined && url !== undefined && LINKING.has(tag)) {
      isChanged ||= assets.isChanged(url);
      fields['linkable'] = file.id;
      const path = written(file.path);
      // A name that has to be escaped in addresses is not escaped by `path`; and what the site has written is no script.
      const follows = parts.runsScripts && path === `/${file.path.join('/')}` && !url.hash.includes('${');
      if (follows) fields[`_html_${name}`] = `\${link.path}${tag === 'link' ? '?${link.version}' : ''}${url.hash}`;
      else attributes.push([name, path + url.hash]);
    } else if (url !== undefined) attributes.push([name, assets.instead(value, base) ?? value]);
    else if (use === 'files') attributes.push([name, filesIn(value, rewriting)]);
    else if (name === 'style') attributes.push([name, cssOf(value, rewriting)]);
    else if (hasBase && LEADS[tag] === name) attributes.push([name, led(value, base, page)]);
    // What is sent is UTF-8.
    else if (tag === 'meta' && name === 'charset') attributes.push([name, 'utf-8']);
    else attributes.push([name, value]);
  }
  const kept = isChanged ? attributes.filter(([name]) => name !== 'integrity') : attributes;
  return { ...element, attributes: kept, ...(Object.keys(fields).length === 0 ? {} : { fields }) };
}

function filesIn(srcset: string, { assets, base }: Rewriting): string {
  return [...candidates(srcset)]
    .map(({ address, size }) => `${assets.instead(address, base) ?? address} ${size}`.trim())
    .join(', ');
}

/** Where a link leads without `base`: within its own site by a path, which the page of that name may have here, too. */
function led(address: string, base: URL, page: URL): string {
  const url = resolved(address, base);
  if (url === undefined) return address;
  return url.origin === page.origin ? url.pathname + url.search + url.hash : url.href;
}
