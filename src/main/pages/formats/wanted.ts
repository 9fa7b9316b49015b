/** Which texts of a tree have to be converted before it is shown. */
import { textsAround } from '../../scripting/index.js';
import { isSandboxed, textOf, type PageNode } from '../model/page-node.js';
import { dialectOf, type Dialect, type MarkupItem } from './formats.js';

/** How the text of a node is shown. */
export type TextForm =
  /** As text; `keepsLines`: line ends stay what they are. */
  | { readonly kind: 'plain'; readonly keepsLines: boolean }
  /** As it is. */
  | { readonly kind: 'markup' }
  | { readonly kind: 'dialect'; readonly dialect: Dialect }
  /** The whole becomes harmless HTML; `html`: it is HTML already. */
  | { readonly kind: 'cleaned'; readonly dialect: Dialect }
  | { readonly kind: 'nothing' };

/** What is in these is no HTML: it would be run, or end them. */
const RAW: ReadonlySet<string> = new Set('script style xmp iframe noembed noframes noscript plaintext'.split(' '));
/** In these there is text alone. */
const TEXT: ReadonlySet<string> = new Set(['textarea', 'title']);

/** Whether text within these elements is no HTML, whatever stands between. */
export function isRawText(around: readonly string[]): boolean {
  return around.some((tag) => RAW.has(tag));
}

/** `around`: tags of the elements it is shown in, the nearest one last. */
export function textFormOf(node: PageNode, around: readonly string[]): TextForm {
  const contentType = textOf(node, 'contentType');
  const isPlain = contentType === '' || contentType === 'text/plain';
  const keepsLines = around.at(-1) === 'textarea';
  if (isSandboxed(node)) {
    // Whatever stands between, a browser finds its end by text: nothing that is escaped is harmless there.
    if (isRawText(around)) return { kind: 'nothing' };
    const isInText = around.some((tag) => TEXT.has(tag));
    if (isPlain || isInText) return { kind: 'plain', keepsLines: keepsLines || isInText };
    return { kind: 'cleaned', dialect: dialectOf(contentType) ?? 'html' };
  }
  if (isPlain) return { kind: 'plain', keepsLines };
  const dialect = dialectOf(contentType);
  return dialect === undefined ? { kind: 'markup' } : { kind: 'dialect', dialect };
}

/** Tags of the elements above a node, the nearest one last. */
export function tagsAround({ parent }: PageNode): string[] {
  const tags: string[] = [];
  for (let one = parent; one !== undefined; one = one.parent) {
    if (one.kind === 'element') tags.push(textOf(one, 'tag').toLowerCase());
  }
  return tags.reverse();
}

/** The texts of these nodes that `Conversions` have to know. */
export function* textsToConvert(nodes: Iterable<PageNode>): Generator<MarkupItem> {
  for (const node of nodes) {
    if (node.kind !== 'content' && node.kind !== 'template') continue;
    // Looking at what is around each of many texts that are what they are takes long.
    if (!isSandboxed(node) && dialectOf(textOf(node, 'contentType')) === undefined) continue;
    const form = textFormOf(node, tagsAround(node));
    const text = textOf(node, 'content');
    if (form.kind === 'cleaned') yield { dialect: form.dialect, text, cleaned: true };
    if (form.kind !== 'dialect') continue;
    for (const part of textsAround(text)) yield { dialect: form.dialect, text: part, cleaned: false };
  }
}
