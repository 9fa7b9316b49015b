/** Texts of pages by their content type (docs/interface/pages.md 3.3). */
import { PAGE_MARKUP, PAGE_TEXT, PAGE_TEXTAREA, writeScripts, type TemplateForm } from '../../scripting/index.js';
import { isSandboxed, textOf, type PageNode } from '../model/page-node.js';
import { namesIn } from './names.js';
import type { Op } from './plan.js';

const RUNNING: ReadonlySet<string> = new Set(['script', 'style']);

/** What makes HTML of a text of a content type. */
export type Transform = (text: string) => string;
export type Transforms = ReadonlyMap<string, Transform>;

/** Makes what somebody without administrators' rights has written harmless. */
export type Cleaner = (html: string) => string;

/** Content and templates: what is written in them. `inScript`: in an element whose text runs. */
export function textOps(node: PageNode, transforms: Transforms, clean: Cleaner, inScript: boolean): Op[] {
  const text = textOf(node, 'content');
  const form = formOf(node, transforms);
  if (isSandboxed(node))
    return inScript || isInScript(node) ? [] : [isPlain(node) ? form.escape(text) : clean(form.escape(text))];
  if (!text.includes('${')) return [form.escape(text)];
  const names = namesIn(text);
  return [
    ({ visit, constants }) =>
      visit.within(form.escape, () => writeScripts(text, visit.contextOf(node, constants, names), form, visit.write)),
  ];
}

/** An element whose text runs, or styles the page. */
export function runs(node: PageNode): boolean {
  return node.kind === 'element' && RUNNING.has(textOf(node, 'tag').toLowerCase());
}

/** Where a text is no markup, but runs: nothing that is escaped makes it harmless. */
function isInScript({ parent }: PageNode): boolean {
  for (let one = parent; one !== undefined; one = one.parent) if (runs(one)) return true;
  return false;
}

function isPlain(node: PageNode): boolean {
  const type = textOf(node, 'contentType');
  return type === '' || type === 'text/plain';
}

function formOf(node: PageNode, transforms: Transforms): TemplateForm {
  if (isPlain(node)) return node.parent?.node.type === 'Textarea' ? PAGE_TEXTAREA : PAGE_TEXT;
  const transform = transforms.get(textOf(node, 'contentType'));
  return transform === undefined ? PAGE_MARKUP : { ...PAGE_MARKUP, escape: transform };
}

/** For people who read the source; instructions for the service are not shown. */
export function commentOps(node: PageNode): Op[] {
  const text = textOf(node, 'content');
  if (text.includes('@svc:')) return [];
  if (isSandboxed(node) || !text.includes('${')) return [`<!--${withoutEnd(text)}-->`];
  const names = namesIn(text);
  const form: TemplateForm = { ...PAGE_MARKUP, escape: withoutEnd };
  return [
    '<!--',
    ({ visit, constants }) =>
      visit.within(withoutEnd, () => writeScripts(text, visit.contextOf(node, constants, names), form, visit.write)),
    '-->',
  ];
}

/** What would end the comment in its middle does not. */
function withoutEnd(text: string): string {
  return text.replace(/--(!?)>/g, '--$1&gt;').replace(/^(-?)>/, '$1&gt;');
}
