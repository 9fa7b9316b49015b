/** Texts of pages by their content type (docs/interface/pages.md 3.3). */
import {
  escapeHtml,
  PAGE_MARKUP,
  partsOf,
  writeScripts,
  type Awaitable,
  type TemplateForm,
} from '../../scripting/index.js';
import type { Conversions, Dialect } from '../formats/formats.js';
import { isRawText, textFormOf, type TextForm } from '../formats/wanted.js';
import { isSandboxed, textOf, type PageNode } from '../model/page-node.js';
import { namesIn } from './names.js';
import type { Op } from './plan.js';

/** HTML of texts that are not shown as they are. */
export interface Converting {
  /** Of the tree that is compiled. */
  readonly converted: Conversions;
  /** Of what scripts answer. */
  readonly convert: (dialect: Dialect, text: string) => Awaitable<string>;
}

/** Content and templates: what is written in them. `around`: tags of the elements they are shown in, the nearest one last. */
export function textOps(node: PageNode, converting: Converting, around: readonly string[]): Op[] {
  const text = textOf(node, 'content');
  const kind = textFormOf(node, around);
  if (kind.kind === 'nothing') return [];
  const html = htmlOf(kind, converting);
  if (isSandboxed(node) || !text.includes('${')) return [html(text)];
  const names = namesIn(text);
  const form = formOf(kind, html, converting);
  const place = { escape: form.escape, writes: true, isCode: isRawText(around) };
  return partsOf(text).map((part): Op => {
    if (typeof part === 'string') return html(part);
    return { script: part, node, names, place, form };
  });
}

/** What becomes of the text that is written in a node. */
function htmlOf(kind: TextForm, { converted }: Converting): (text: string) => string {
  switch (kind.kind) {
    case 'nothing':
      return () => '';
    case 'markup':
      return (text) => text;
    case 'plain':
      return kind.keepsLines ? escapeHtml : withBreaks;
    case 'dialect':
      return (text) => converted.get({ dialect: kind.dialect, text, cleaned: false });
    case 'cleaned':
      return (text) => converted.get({ dialect: kind.dialect, text, cleaned: true });
  }
}

function withBreaks(text: string): string {
  const escaped = escapeHtml(text);
  return escaped.includes('\n') ? escaped.replaceAll('\n', '<br>') : escaped;
}

function formOf(kind: TextForm, html: (text: string) => string, { convert }: Converting): TemplateForm {
  if (kind.kind !== 'dialect') return { ...PAGE_MARKUP, escape: html };
  return { ...PAGE_MARKUP, fixed: html, escape: (text) => convert(kind.dialect, text) };
}

/** For people who read the source; instructions for the service are not shown. */
export function commentOps(node: PageNode): Op[] {
  const text = textOf(node, 'content');
  if (text.includes('@svc:')) return [];
  if (isSandboxed(node) || !text.includes('${')) return [`<!--${withoutEnd(text)}-->`];
  const names = namesIn(text);
  const form: TemplateForm = { ...PAGE_MARKUP, escape: withoutEnd };
  const place = { escape: withoutEnd, writes: false, isCode: false };
  return [
    '<!--',
    ({ visit, constants }) =>
      visit.within(place, () => writeScripts(text, visit.contextOf(node, constants, names), form, visit.write)),
    '-->',
  ];
}

/** What would end the comment in its middle does not, whatever stands before it. */
function withoutEnd(text: string): string {
  return text.replace(/--(!?)>/g, '--$1&gt;').replace(/^(-?!?)>/, '$1&gt;');
}
