/**
 * What nodes that users without administrators' rights have written may show: no scripts, and nothing that makes a browser run
 * something, load something into the page, or send it elsewhere.
 */
const TAGS: ReadonlySet<string> = new Set(
  `a abbr address article aside b bdi bdo blockquote body br button caption center cite code col colgroup data dd del details dfn div dl dt em
   fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 head header hgroup hr html i img input ins kbd label legend li main map mark menu meter
   nav ol optgroup option output p picture pre progress q rp rt ruby s samp section select small source span strong sub summary sup table
   tbody td textarea tfoot th thead time title tr u ul var wbr`.split(/\s+/),
);
const URLS: ReadonlySet<string> = new Set(['href', 'src', 'cite', 'poster', 'longdesc']);
const REFUSED: ReadonlySet<string> = new Set(['action', 'srcdoc', 'style', 'is', 'ping', 'usemap', 'srcset']);
/** Attributes that make an element a part of another one, wherever that is: a field of its form, a button that sends it, or closes it. */
const OF_OTHERS = /^(?:form|command|popovertarget)/;
/** Names by which others of the page are found: those of strangers are names of their own, as in their HTML. */
const NAMES: ReadonlySet<string> = new Set(['id', 'name', 'for', 'list']);
const OWN = 'user-content-';
const SAFE_URL = /^(?:(?:https?|mailto|tel):|[^:]*$|[^:]*[/?#])/i;

export function isHarmlessTag(tag: string): boolean {
  return TAGS.has(tag.toLowerCase());
}

export function isHarmlessAttribute(name: string, value: string): boolean {
  const lower = name.toLowerCase();
  if (
    lower.startsWith('on') ||
    REFUSED.has(lower) ||
    OF_OTHERS.test(lower) ||
    lower.startsWith('data-svc-') ||
    lower.includes(':')
  )
    return false;
  // Browsers leave out blanks and control characters in a scheme.
  // eslint-disable-next-line no-control-regex
  return !URLS.has(lower) || SAFE_URL.test(value.replace(/[\u0000-\u0020]/g, ''));
}

/** The value of an attribute as it stands in the tag of such a node. */
export function harmlessValue(name: string, value: string): string {
  return NAMES.has(name.toLowerCase()) && value !== '' ? OWN + value : value;
}
