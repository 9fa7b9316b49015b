/** The HTML element types, made from a table of tags and their own attributes (docs/interface/builtin-types.md 5). */
import type { TraitDefinition } from '../model/definitions.js';
import type { PropertyDefinition } from '../model/property.js';
import { attributes, htmlView } from './html-attributes.js';
import { str, trait, words } from './rows.js';

const TYPES = words(`
  A Abbr Address Area Article Aside Audio Base Bdi Bdo B Blockquote Body Br Button Canvas Caption Cite Code Colgroup Col
  Command Data Datalist Dd Del Details Dfn Dialog Div Dl Dt Embed Em Fieldset Figcaption Figure Footer Form G H1 H2 H3
  H4 H5 H6 Header Head Hgroup Hr Html Iframe I Img Input Ins Kbd Keygen Label Legend Li Link Main Map Mark Menu Meta
  Meter Nav Noscript Object Ol Optgroup Option Output Param Picture P Pre Progress Q Rp Rt Ruby Samp Script Section
  Select S Slot Small Source Span Strong Style Sub Summary Sup Table Tbody Td TemplateElement Textarea Tfoot Thead Th
  Time Title Track Tr U Ul Var Video Wbr`);

const MEDIA = 'src crossorigin preload autoplay loop muted controls';
const FORM_BUTTON = 'autofocus disabled form formaction formenctype formmethod formnovalidate formtarget';
const CELL = 'colspan rowspan headers';

/** Own attributes by type; types that are missing have none. */
const OWN: Readonly<Record<string, string>> = {
  A: 'href target ping rel media hreflang type',
  Audio: MEDIA,
  Base: 'href target',
  Button: `${FORM_BUTTON} type value`,
  Canvas: 'width height',
  Data: 'value',
  Details: 'open',
  Dialog: 'open',
  Embed: 'src type width height',
  Form: 'accept-charset action autocomplete enctype method name novalidate target',
  Html: 'manifest',
  Iframe: 'name src srcdoc sandbox seamless allowfullscreen width height',
  Img: 'alt src crossorigin usemap ismap width height',
  Input: `accept alt autocomplete checked dirname ${FORM_BUTTON} height list max maxlength min multiple name pattern
    placeholder readonly required size src step type value width`,
  Label: 'for form',
  Li: 'value',
  Link: 'href rel media hreflang type sizes',
  Meta: 'name http-equiv content charset',
  Object: 'type typemustmatch usemap form width height',
  Ol: 'reversed start',
  Optgroup: 'disabled label',
  Option: 'value disabled selected label',
  Param: 'value',
  Script: 'src async defer type charset',
  Select: 'name disabled accept form size multiple autofocus required',
  Slot: 'name',
  Source: 'src type media',
  Style: 'media type scoped',
  Td: CELL,
  Textarea: 'name disabled form readonly maxlength autofocus required placeholder dirname rows wrap cols',
  Th: `${CELL} scope abbr`,
  Time: 'datetime',
  Track: 'kind src srclang label default',
  Video: `${MEDIA} poster playsinline width height`,
};

/** What an attribute is when a new element does not say. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'Script._html_type': 'text/javascript',
  'Style._html_type': 'text/css',
};

/** Properties that are no attributes. */
const EXTRA: Readonly<Record<string, readonly PropertyDefinition[]>> = {
  Html: [str('customOpeningTag')],
  Option: [str('selectedValues')],
};

/** Elements that can point to a page or file. */
const LINK_SOURCES: ReadonlySet<string> = new Set(['A', 'Img', 'Link', 'Script']);

function elementType(name: string): TraitDefinition {
  const own = attributes(OWN[name] ?? '').map((p) => {
    const defaultValue = DEFAULTS[`${name}.${p.name}`];
    return defaultValue === undefined ? p : { ...p, defaultValue };
  });
  const inherits = LINK_SOURCES.has(name) ? ['DOMElement', 'LinkSource'] : ['DOMElement'];
  return trait(name, inherits, [...own, ...(EXTRA[name] ?? [])], own.length === 0 ? {} : htmlView(own));
}

export const htmlTraits: readonly TraitDefinition[] = TYPES.map(elementType);
