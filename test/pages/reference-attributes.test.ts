/** Attributes of HTML, each of each type, and which type a tag is of (docs/interface/pages.md 3.2, 8.2; builtin-types.md 5). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { getPage } from '../support/pages.js';
import { TestServer } from '../support/server.js';

const words = (text: string): string[] => text.trim().split(/\s+/);

const GLOBAL =
  words(`accesskey class contenteditable contextmenu data dir draggable dropzone hidden id lang spellcheck style
  tabindex title translate is properties role onabort onblur oncanplay oncanplaythrough onchange onclick oncontextmenu ondblclick
  ondrag ondragend ondragenter ondragleave ondragover ondragstart ondrop ondurationchange onemptied onended onerror onfocus
  oninput oninvalid onkeydown onkeypress onkeyup onload onloadeddata onloadedmetadata onloadstart onmousedown onmousemove
  onmouseout onmouseover onmouseup onmousewheel onpause onplay onplaying onprogress onratechange onreadystatechange onreset
  onscroll onseeked onseeking onselect onshow onstalled onsubmit onsuspend ontimeupdate onvolumechange onwaiting`);

const OWN: Readonly<Record<string, string>> = {
  A: 'href target ping rel media hreflang type',
  Audio: 'src crossorigin preload autoplay loop muted controls',
  Base: 'href target',
  Button: 'autofocus disabled form formaction formenctype formmethod formnovalidate formtarget type value',
  Canvas: 'width height',
  Data: 'value',
  Li: 'value',
  Details: 'open',
  Dialog: 'open',
  Embed: 'src type width height',
  Form: 'accept-charset action autocomplete enctype method name novalidate target',
  Html: 'manifest',
  Iframe: 'name src srcdoc sandbox seamless allowfullscreen width height',
  Img: 'alt src crossorigin usemap ismap width height',
  Input: `accept alt autocomplete autofocus checked dirname disabled form formaction formenctype formmethod formnovalidate formtarget
    height list max maxlength min multiple name pattern placeholder readonly required size src step type value width`,
  Label: 'for form',
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
  Td: 'colspan rowspan headers',
  Textarea: 'name disabled form readonly maxlength autofocus required placeholder dirname rows wrap cols',
  Th: 'colspan rowspan headers scope abbr',
  Time: 'datetime',
  Track: 'kind src srclang label default',
  Video: 'src crossorigin poster preload autoplay playsinline loop muted controls width height',
};
const WITHOUT =
  words(`Abbr Address Area Article Aside B Bdi Bdo Blockquote Body Br Caption Cite Code Col Colgroup Command Datalist Dd
  Del Dfn Div Dl Dt Em Fieldset Figcaption Figure Footer G H1 H2 H3 H4 H5 H6 Head Header Hgroup Hr I Ins Kbd Keygen Legend Main Map
  Mark Menu Meter Nav Noscript Output P Picture Pre Progress Q Rp Rt Ruby S Samp Section Small Span Strong Sub Summary Sup Table
  Tbody Tfoot Thead Title Tr U Ul Var Wbr TemplateElement`);
const TYPES = [...Object.keys(OWN), ...WITHOUT];
const tagOf = (type: string): string => (type === 'TemplateElement' ? 'template' : type.toLowerCase());

let server: TestServer;
let admin: Client;
beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
});
afterAll(() => server.stop());

describe('attributes', () => {
  /** Names of the attributes in the tag of each element, by the type of the element. */
  const shown = new Map<string, string[]>();
  beforeAll(async () => {
    const all = [...new Set([...GLOBAL, ...Object.values(OWN).flatMap(words)])];
    const children = TYPES.map((type) => ({
      ...{ type, tag: tagOf(type) },
      ...Object.fromEntries(all.map((name) => [`_html_${name}`, `${type}.${name}`])),
    }));
    const root = { type: 'Html', tag: 'html', children: [{ type: 'Body', tag: 'body', children }] };
    await admin.create('Page', { name: 'attributes', children: [root] });
    const { text } = await getPage(admin, '/attributes');
    for (const [, tag = '', attributes = ''] of text.matchAll(/<([a-z]\w*)((?: [\w-]+="[^"]*")+)>/g)) {
      const found = [...attributes.matchAll(/ ([\w-]+)="(\w+)\.([\w-]+)"/g)];
      const [type = tag] = new Set(found.map(([, , one]) => one));
      expect(tagOf(type)).toBe(tag);
      expect(found.filter(([, name, , said]) => name !== said)).toEqual([]);
      shown.set(
        type,
        found.map(([, name = '']) => name),
      );
    }
  });

  test.each(TYPES)('of %s: its own and those of all, and none of others', (type) => {
    expect([...(shown.get(type) ?? [])].sort()).toEqual(
      [...new Set([...GLOBAL, ...words(OWN[type] ?? '')])].filter((one) => one !== '').sort(),
    );
  });
});

describe('the type of a tag', () => {
  const typeOf = new Map<string, string>();
  beforeAll(async () => {
    const tags = [...TYPES.map(tagOf), 'center', 'nobr', 'my-part'];
    const code = `<html><body>${tags.map((tag) => `<${tag} id="of-${tag}"></${tag}>`).join('')}</body></html>`;
    // In the form of exports tags stand where HTML has no place for them; void ones have no end.
    const written = code.replace(
      /(<(area|base|br|col|command|embed|hr|img|input|keygen|link|meta|param|source|track|wbr) [^>]*>)<\/\2>/g,
      '$1',
    );
    const answer = await admin.post('/Page/importPage', { name: 'tags', code: written, processDeploymentInfo: true });
    expect(answer.status, answer.text).toBe(200);
    const { id } = answer.body.result as { id: string };
    const { body } = await admin.get(`/DOMElement/ui?pageId=${id}&_pageSize=1000`);
    for (const one of body.result as Record<string, string>[]) typeOf.set(String(one['_html_id']), one['type'] ?? '');
  });

  test.each(TYPES)('%s', (type) => {
    expect(typeOf.get(`of-${tagOf(type)}`)).toBe(type);
  });
  test.each(['center', 'nobr', 'my-part'])('%s has none of its own', (tag) => {
    expect(typeOf.get(`of-${tag}`)).toBe('DOMElement');
  });
});
