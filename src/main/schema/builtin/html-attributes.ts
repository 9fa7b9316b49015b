/** Attributes every HTML element has (docs/interface/builtin-types.md 5). */
import type { PropertyDefinition } from '../model/property.js';
import { namesOf, str, words } from './rows.js';

const PREFIX = '_html_';

/** Properties of attributes, separated by blanks: key `_html_<attribute>`. */
export function attributes(names: string): PropertyDefinition[] {
  return words(names).map((name) => str(PREFIX + name, name === 'id' ? '*' : ''));
}

/** The view that lists attributes. */
export function htmlView(properties: readonly PropertyDefinition[]): Record<string, readonly string[]> {
  return { _html_: namesOf(properties).filter((name) => name.startsWith(PREFIX)) };
}

export const commonAttributes: readonly PropertyDefinition[] = attributes(`
  onabort onblur oncanplay oncanplaythrough onchange onclick oncontextmenu ondblclick ondrag ondragend ondragenter
  ondragleave ondragover ondragstart ondrop ondurationchange onemptied onended onerror onfocus oninput oninvalid
  onkeydown onkeypress onkeyup onload onloadeddata onloadedmetadata onloadstart onmousedown onmousemove onmouseout
  onmouseover onmouseup onmousewheel onpause onplay onplaying onprogress onratechange onreadystatechange onreset
  onscroll onseeked onseeking onselect onshow onstalled onsubmit onsuspend ontimeupdate onvolumechange onwaiting
  data accesskey class contenteditable contextmenu dir draggable dropzone hidden id lang spellcheck style tabindex title
  translate is properties role`);
