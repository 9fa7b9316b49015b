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
  const title = before === '' ? name || nameOf(object['tag']) || nameOf(object['parameterName']) : `${before}.${name}`;
  const behind = nameOf(object['ownerDocument']) || nameOf(object['locale']);
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
