/** Takes out of HTML what makes a browser run something, load something into the page, or send somebody elsewhere. */
import { sanitize, type Schema } from 'hast-util-sanitize';
import type { Element, ElementContent, Properties, Root, RootContent } from 'hast';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { escaped as escapedMarkup } from './inline.js';

type ParsedNode = DefaultTreeAdapterTypes.ChildNode;

const words = (text: string): string[] => text.trim().split(/\s+/);

const LINKS = ['http', 'https', 'mailto', 'tel'];

/** Ids of others must not take the place of names that scripts of the page know. */
const PREFIX = 'user-content-';

/** What texts may consist of. No forms, no frames, no styles, no SVG or MathML, whose parsing differs from that of HTML. */
const SCHEMA: Schema = {
  tagNames: words(
    `a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup data dd del details dfn div dl dt em
     figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark nav ol p pre q rp rt ruby s samp section
     small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr`,
  ),
  attributes: {
    '*': words('class dir id lang role title aria-label aria-hidden aria-describedby aria-labelledby'),
    a: words('href hreflang rel target name'),
    blockquote: ['cite'],
    col: ['span'],
    colgroup: ['span'],
    data: ['value'],
    del: words('cite datetime'),
    details: ['open'],
    img: words('src alt width height loading'),
    ins: words('cite datetime'),
    li: ['value'],
    ol: words('reversed start type'),
    q: ['cite'],
    td: words('align colspan headers rowspan valign'),
    th: words('abbr align colspan headers rowspan scope valign'),
    time: ['datetime'],
  },
  protocols: { href: LINKS, src: ['http', 'https'], cite: ['http', 'https'] },
  strip: words('script style template iframe object noscript noembed noframes xmp svg math title textarea select'),
  clobber: words('id name aria-describedby aria-labelledby'),
  clobberPrefix: PREFIX,
  allowComments: false,
  allowDoctypes: false,
};

export function clean(html: string): string {
  const root: Root = { type: 'root', children: parseFragment(html).childNodes.flatMap(plainNode) };
  const safe = sanitize(root, SCHEMA);
  return safe.type === 'root' ? safe.children.map(written).join('') : written(safe);
}

/** Attributes keep the names that they have in HTML. */
function plainNode(node: ParsedNode): ElementContent[] {
  if (node.nodeName === '#text' && 'value' in node) return [{ type: 'text', value: node.value }];
  if (!('tagName' in node)) return [];
  const properties: Properties = {};
  for (const { name, value } of node.attrs) properties[name] = value;
  // What is in a template is no child of it, and goes with it.
  return [{ type: 'element', tagName: node.tagName, properties, children: node.childNodes.flatMap(plainNode) }];
}

const VOID = new Set(words('br col hr img wbr'));

function written(node: RootContent): string {
  if (node.type === 'text') return escaped(node.value);
  if (node.type !== 'element') return '';
  const inside = VOID.has(node.tagName) ? '' : `${node.children.map(written).join('')}</${node.tagName}>`;
  // A line end at the beginning would be taken for a part of the markup.
  const gap = node.tagName === 'pre' && inside.startsWith('\n') ? '\n' : '';
  return `<${node.tagName}${attributesOf(node)}>${gap}${inside}`;
}

function attributesOf({ properties }: Element): string {
  return Object.entries(properties)
    .map(([name, value]) => {
      // `sanitize` makes lists of what it prefixes.
      const text = Array.isArray(value) ? value.join(' ') : String(value);
      // Links within the text follow its ids.
      const own = name === 'href' && /^#./.test(text) ? `#${PREFIX}${text.slice(1)}` : text;
      return ` ${name}="${escaped(own)}"`;
    })
    .join('');
}

function escaped(text: string): string {
  return escapedMarkup(text).replaceAll('\u00a0', '&nbsp;');
}
