/** Where code lies in the database. A kind is a row here: tree, search and editor go by it. */
import { languageOf, type CodeLanguage } from '../parts/code-languages.js';
import type { Entity } from '../server/rest.js';

export interface Kind {
  /** The type, and the property that holds the code. */
  readonly type: string;
  readonly key: string;
  /** `script`: the whole text is one; `template`: scripts stand in `${}`. */
  readonly form: 'script' | 'template';
  /** What is read of an object to name it. */
  readonly names: readonly string[];
}

const METHOD = ['schemaNode', 'staticSchemaNodeName'];
const ELEMENT = ['tag', 'ownerDocument'];

/** Attributes of elements that may have scripts in `${}`, by the type that knows them (docs/interface/pages.md 3.2). */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  DOMElement: ['class', 'id', 'style', 'title', 'onclick'],
  A: ['href'],
  Button: ['value'],
  Form: ['action'],
  Iframe: ['src'],
  Img: ['src', 'alt'],
  Input: ['value', 'placeholder', 'checked'],
  Link: ['href'],
  Meta: ['content'],
  Option: ['value', 'selected'],
  Script: ['src'],
};
const attribute = (name: string): string => `_html_${name}`;

/** All of them, whatever type they are of. */
export const ATTRIBUTE_KEYS: readonly string[] = [...new Set(Object.values(ATTRIBUTES).flat())].map(attribute);

/** The type in whose row of `KINDS` an attribute of an element stands; undefined: in none. */
export const attributeType = (element: string, key: string): string | undefined =>
  ['DOMElement', element].find((type) => ATTRIBUTES[type]?.some((name) => attribute(name) === key));

/** What an action says in scripts in `${}` (docs/interface/pages.md 7.1). */
export const ACTION_KEYS = [
  ...['idExpression', 'method', 'dataType', 'options', 'dialogTitle', 'dialogText'],
  ...['successPartial', 'successURL', 'failurePartial', 'failureURL'],
];

export const KINDS: readonly Kind[] = [
  { type: 'SchemaMethod', key: 'source', form: 'script', names: METHOD },
  { type: 'SchemaProperty', key: 'readFunction', form: 'script', names: METHOD },
  { type: 'SchemaProperty', key: 'writeFunction', form: 'script', names: METHOD },
  // Templates are contents.
  { type: 'Content', key: 'content', form: 'template', names: ['ownerDocument'] },
  { type: 'DOMNode', key: 'functionQuery', form: 'script', names: ELEMENT },
  { type: 'DOMNode', key: 'showConditions', form: 'script', names: ELEMENT },
  { type: 'DOMNode', key: 'hideConditions', form: 'script', names: ELEMENT },
  { type: 'DOMNode', key: 'sharedComponentConfiguration', form: 'script', names: ELEMENT },
  ...ACTION_KEYS.map((key): Kind => ({ type: 'ActionMapping', key, form: 'template', names: ['event', 'action'] })),
  ...Object.entries(ATTRIBUTES).flatMap(([type, names]) =>
    names.map((name): Kind => ({ type, key: attribute(name), form: 'template', names: ELEMENT })),
  ),
  { type: 'ParameterMapping', key: 'scriptExpression', form: 'script', names: ['parameterName'] },
  { type: 'MailTemplate', key: 'text', form: 'template', names: ['locale'] },
];

export const kindOf = (type: string, key: string): Kind | undefined =>
  KINDS.find((kind) => kind.type === type && kind.key === key);

/** A piece of code: an object, and which of its properties. */
export interface Piece {
  readonly type: string;
  readonly id: string;
  readonly key: string;
}

export const idOf = ({ type, id, key }: Piece): string => `${type}/${id}/${key}`;

export function pieceOf(text: string): Piece | undefined {
  const [type = '', id = '', key = '', more] = text.split('/');
  return more === undefined && kindOf(type, key) !== undefined ? { type, id, key } : undefined;
}

/** The name of something that is a property of an object; empty: there is none. */
export function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { name } = (value ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : '';
}

/** The type that a method or a property belongs to; empty: it is a function. */
export const ownerOf = (object: Entity): string =>
  nameOf(object['schemaNode']) || nameOf(object['staticSchemaNodeName']);

/** How an object is called in lists of code: `Task.close`, `div in start`, `welcome (de)`. */
export function titleOf(kind: Kind, object: Entity): string {
  const name = object.name ?? '';
  const before = kind.names === METHOD ? ownerOf(object) : '';
  const other = ['tag', 'parameterName', 'action'].map((key) => nameOf(object[key])).find((one) => one !== '') ?? '';
  const title = before === '' ? name || other : `${before}.${name}`;
  const behind = nameOf(object['ownerDocument']) || nameOf(object['locale']) || nameOf(object['event']);
  const shown = title === '' ? kind.type : title;
  return behind === '' ? shown : `${shown} (${behind})`;
}

/** The language of an editor for this code. */
export function languageIn(kind: Kind, object: Entity): CodeLanguage {
  if (kind.form === 'script') return 'javascript';
  const type = nameOf(object['contentType']);
  const known = languageOf(type);
  return known === 'text' && (type === '' || kind.type === 'MailTemplate') ? 'html' : known;
}
