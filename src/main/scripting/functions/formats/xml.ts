/** Documents of XML (docs/interface/script-runtime.md 8.5). */
import type { ScriptContext } from '../../run/run.js';
import { parseXml, textIn, XmlError, type XmlElement } from '../../language/formats/xml-document.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { note } from '../../run/notes.js';
import { textOf } from '../../language/text.js';
import { checkLength } from '../../run/function/arguments.js';
import type { Awaitable, ScriptObject, ScriptValue } from '../../language/values.js';

/** Characters of a document. */
const LONGEST = 4 * 1024 * 1024;

/** What `use` makes of the outermost element; null, with a word in the log, when the text is no document. */
export function readXml(
  value: ScriptValue,
  name: string,
  context: ScriptContext,
  use: (element: XmlElement) => Awaitable<ScriptValue>,
): Awaitable<ScriptValue> {
  const text = textOf(value, context);
  if (text.length > LONGEST) {
    throw new ScriptError(
      422,
      `A document of more than ${String(LONGEST)} characters is too long for a script: import it.`,
    );
  }
  const refuse = (error: unknown): null => {
    if (!(error instanceof XmlError)) throw error;
    note(context, `${name}() cannot read its text: ${error.message}`);
    return null;
  };
  try {
    const element = parseXml(text);
    return element instanceof Promise ? element.then(use, refuse) : use(element);
  } catch (error) {
    return refuse(error);
  }
}

/** An element as scripts see it; functions that want more of it than scripts do take `element`. */
export class XmlObject implements ScriptObject {
  readonly isScriptObject = true;

  constructor(readonly element: XmlElement) {}

  get title(): string {
    return `The XML element ${this.element.name}`;
  }

  get(key: string): ScriptValue {
    const { name, attributes, children } = this.element;
    switch (key) {
      case 'name':
        return name;
      case 'attributes':
        return new Map(attributes);
      case 'children':
        return children.filter((child) => typeof child !== 'string').map((child) => new XmlObject(child));
      case 'text':
        return textIn(this.element);
      default:
        return null;
    }
  }

  keys(): readonly string[] {
    return ['name', 'attributes', 'children', 'text'];
  }
}

const xmlFunction: ScriptFunction = {
  name: 'xml',
  signature: 'xml(text)',
  meaning:
    'The outermost element of an XML document, with `name`, `attributes`, `children` and `text`. Entities of others are not read. ' +
    'What is no document gives null.',
  example: `xml('<a><b>text</b></a>').text // text`,
  min: 1,
  max: 1,
  pure: true,
  run: ([value = null], context) =>
    value === null ? null : readXml(value, 'xml', context, (element) => new XmlObject(element)),
};

type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

/** Numbers and truth values are such in JSON too. */
function valueOf(text: string): Plain {
  if (text === 'true' || text === 'false') return text === 'true';
  return NUMBER.test(text) ? Number(text) : text;
}

/** Attributes and elements by their names; what is there several times is a list, text beside them has the key `content`. */
function plain(element: XmlElement): Plain {
  const texts = element.children.filter((child) => typeof child === 'string').map((text) => text.trim());
  const text = texts.filter((one) => one !== '').join(' ');
  const found = new Map<string, Plain[]>();
  const add = (key: string, value: Plain): void => {
    const values = found.get(key);
    if (values === undefined) found.set(key, [value]);
    else values.push(value);
  };
  for (const [name, value] of element.attributes) add(name, valueOf(value));
  for (const child of element.children) if (typeof child !== 'string') add(child.name, plain(child));
  if (found.size === 0) return valueOf(text);
  if (text !== '') add('content', valueOf(text));
  return asObject([...found].map(([key, values]) => [key, values.length === 1 ? (values[0] ?? null) : values]));
}

function asObject(entries: readonly (readonly [string, Plain])[]): Plain {
  const object = Object.create(null) as { [key: string]: Plain };
  for (const [key, value] of entries) object[key] = value;
  return object;
}

const fromXml: ScriptFunction = {
  name: 'fromXml',
  signature: 'fromXml(text)',
  meaning:
    'An XML document as JSON text: attributes and elements are keys, text beside them is `content`. Without one null.',
  example: `strReplace(fromXml('<a b="1"/>'), '[ \\n]', '') // {"a":{"b":1}}`,
  min: 1,
  max: 1,
  pure: true,
  run: ([value = null], context) =>
    value === null
      ? null
      : readXml(value, 'fromXml', context, (one) => {
          const text = JSON.stringify(asObject([[one.name, plain(one)]]), null, 4);
          checkLength(text.length, 'fromXml');
          return text;
        }),
};

export const xml: FunctionCategory = { title: 'XML', functions: [xmlFunction, fromXml] };
