/** What a node of a file of an application says of itself, as input (docs/interface/deployment.md 3.6). */
import type { ObjectTransaction, Type } from '../../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { keyOf, META, OF_SERVICE, typeOfTag } from '../build.js';
import { FIELDS, MARK, VISIBILITY } from '../export-form.js';
import type { HtmlElement, Mark } from '../read-html.js';

/** Who is told of what does not count. */
export type Warn = (title: string, message: string) => void;

/** A relation that needs other nodes to be there. */
export interface Relation {
  readonly key: string;
  readonly value: string;
}

export interface Values {
  readonly values: JsonObject;
  readonly relations: readonly Relation[];
}

/** What exports say of nodes whether their type has it or not. */
const WRITTEN: ReadonlySet<string> = new Set(['selectedValues', 'eventMapping', 'sharedComponentConfiguration']);

/** The type that a tag means, however it is written. */
export function typeOf(objects: ObjectTransaction, { tag }: HtmlElement): Type {
  return typeOfTag(objects, tag.toLowerCase());
}

/** The id that an element says. */
export function idOf({ attributes }: HtmlElement): string | undefined {
  return attributes.find(([name]) => name === `${META}id`)?.[1];
}

/** What the attributes of an element are, for an object of a type. */
export function attributesOf(type: Type, { tag, attributes }: HtmlElement, place: string, warn: Warn): Values {
  const values = Object.create(null) as JsonObject;
  const relations: Relation[] = [];
  const isOwn = attributes.some(([name]) => name === `${META}id`);
  // What a page of an application says is what it was; what somebody has written by hand gets what browsers take for granted.
  const usual = tag.toLowerCase() === 'script' ? 'text/javascript' : tag.toLowerCase() === 'style' ? 'text/css' : '';
  if (!isOwn && usual !== '' && !attributes.some(([name]) => name.toLowerCase() === 'type'))
    values['_html_type'] = usual;
  for (const [name, value] of attributes) {
    if (name.startsWith(META)) {
      const key = name.slice(META.length).replace(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());
      if (OF_SERVICE.test(key)) continue;
      const property = type.properties.get(key);
      if (property?.kind === 'value') values[key] = converted(property.definition.propertyType, value);
      else if (property?.kind === 'relation') relations.push({ key, value });
      else if (WRITTEN.has(key)) values[key] = value;
      else warn('Unknown attribute(s)', `${place}: ${name} is no property of ${type.name}.`);
      continue;
    }
    const known = `_html_${name.toLowerCase()}`;
    const key = type.properties.has(known) ? known : name === 'text' ? undefined : keyOf(type, name, 'author');
    if (key === undefined) continue;
    const property = type.properties.get(key);
    values[key] = property?.kind === 'value' ? converted(property.definition.propertyType, value) : value;
  }
  return { values, relations };
}

/** A text as input of a property. */
function converted(propertyType: string, text: string): JsonValue {
  if (propertyType === 'Boolean') return text === 'true';
  if (/^(?:Integer|Long|Double)$/.test(propertyType)) return text.trim() === '' ? null : Number(text);
  if (!propertyType.endsWith('Array')) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text.split(',').map((one) => one.trim());
  }
}

/** What the comment before a node says of it, beside visibility. */
export interface Instructions {
  readonly values: JsonObject;
  readonly owner: string | undefined;
  /** Rights by the name of who has them. */
  readonly grants: ReadonlyMap<string, readonly string[]>;
  /** Path, name or id of a file or page. */
  readonly link: { readonly kind: 'file' | 'page'; readonly path: string } | undefined;
}

const NONE: Instructions = { values: {}, owner: undefined, grants: new Map(), link: undefined };

export function instructionsIn(
  marks: readonly Mark[] | undefined,
  letters: Readonly<Record<string, string>>,
  place: string,
  warn: Warn,
): Instructions {
  if (marks === undefined) return NONE;
  const values: JsonObject = {};
  const grants = new Map<string, readonly string[]>();
  let owner: string | undefined;
  let link: Instructions['link'];
  for (const [name, value] of marks) {
    const key = FIELDS[name];
    if (key !== undefined) values[key] = value;
    else if (name === 'hidden') values['hidden'] = true;
    else if (name === 'link' || name === 'pagelink') link = { kind: name === 'link' ? 'file' : 'page', path: value };
    else if (name === 'owner') owner = value;
    else if (name === 'grant') {
      const [, who, said = ''] = /^([^]+),\s*([rwda]+)$/.exec(value) ?? [];
      if (who === undefined) warn('Wrong instruction(s)', `${place}: @svc:grant(${value.slice(0, 200)})`);
      else
        grants.set(
          who,
          [...said].map((one) => letters[one] ?? ''),
        );
    } else if (name !== MARK && VISIBILITY[name] === undefined)
      warn('Unknown instruction(s)', `${place}: @svc:${name.slice(0, 100)}`);
  }
  return { values, owner, grants, link };
}
