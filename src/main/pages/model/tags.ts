/** What HTML says of its elements (docs/interface/pages.md 3.1). */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Types whose elements stand in the middle of a line. */
export const INLINE: ReadonlySet<string> = words(`
  A B Bdi Bdo Cite Code Data Dfn Em G I Img Kbd Mark Pre Q Rp Rt Ruby S Samp Small Span Strong Sub Sup Textarea Time U Var Wbr`);

/** Types whose elements have no end and nothing in them. */
export const VOID: ReadonlySet<string> = words(
  'Area Base Br Col Command Embed Hr Img Input Keygen Link Meta Param Source Track Wbr',
);

/** The same by the tag, as readers of HTML see it. */
export function isVoidTag(tag: string): boolean {
  return VOID.has(tag.charAt(0).toUpperCase() + tag.slice(1).toLowerCase());
}

/** A name that can stand behind `<`; anything else would be markup of its own. */
const TAG = /^[A-Za-z][\w:.-]*$/;

export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** A name that can stand before `=` in a tag. */
// eslint-disable-next-line no-control-regex
const ATTRIBUTE = /^[^\s"'<>/=\u0000-\u001f\u007f]+$/;

export function isAttribute(text: string): boolean {
  return ATTRIBUTE.test(text);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The value of an attribute, as it stands between quotation marks. */
export function escapeAttribute(text: string): string {
  return /[&<>"]/.test(text) ? text.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one) : text;
}

/** Text between tags. */
export function escapeText(text: string): string {
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, (one) => ESCAPES[one] ?? one) : text;
}
