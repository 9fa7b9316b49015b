/** From the events of an XML document to the objects that the parameters of an import ask for (docs/interface/imports.md 3.2). */
import type { Schema, Type } from '../../../schema/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { logger } from '../../../../shared/log.js';
import { FilesError } from '../../errors.js';
import { typeNamed } from '../batch.js';
import { inputOf } from '../cells.js';
import { objectIn, textIn } from '../parameters.js';
import type { XmlEvent } from './xml-reader.js';

const log = logger('files.import');

/** What becomes of the elements at one path. */
type Mapping =
  | {
      readonly action: 'createNode';
      readonly isRoot: boolean;
      readonly type: Type;
      readonly attributes: ReadonlyMap<string, string>;
      /** Where the object that it stands in shows it; absent: it stands in none. */
      readonly propertyName: string | undefined;
      readonly isSingle: boolean;
      /** Property for its text. */
      readonly content: string | undefined;
    }
  | { readonly action: 'setProperty'; readonly propertyName: string }
  | { readonly action: 'ignore' };

export interface XmlMappings {
  readonly byPath: ReadonlyMap<string, Mapping>;
  /** Names of the types of all objects. */
  readonly types: readonly string[];
}

/** An object that a document describes, with those that are nested in it. */
export interface XmlObject {
  readonly type: Type;
  readonly input: JsonObject;
  readonly nested: { readonly object: XmlObject; readonly propertyName: string; readonly isSingle: boolean }[];
}

/** Keys of the parameters that are no paths. */
const OTHERS: ReadonlySet<string> = new Set(['onFinish', 'batchType']);
/** Characters, and nested objects, of one root object, which is in memory as a whole. */
const LARGEST = 8 * 1024 * 1024;
const MOST_NESTED = 10_000;

/** What the parameters of an import say. Throws `FilesError` when they do not fit the schema, or each other. */
export function xmlMappings(schema: Schema, input: JsonObject): XmlMappings {
  // The interface names it and does not say what it does; clients that send it are not to be turned away.
  if ((input['batchType'] ?? '') !== '') log.warn('the key "batchType" of an XML import has no effect');
  const byPath = new Map<string, Mapping>();
  for (const [path, value] of Object.entries(input)) {
    if (OTHERS.has(path)) continue;
    if (!/^\/[^/]+(\/[^/]+)*$/.test(path)) {
      throw new FilesError(400, `The key "${path}" is no path of elements like /items/item.`);
    }
    byPath.set(path, mappingOf(schema, path, objectIn(value, path)));
  }
  const made = [...byPath.values()].filter((mapping) => mapping.action === 'createNode');
  if (!made.some(({ isRoot }) => isRoot)) {
    throw new FilesError(400, 'No path has "action": "createNode" and "isRoot": true: nothing would be imported.');
  }
  return { byPath, types: [...new Set(made.map(({ type }) => type.name))] };
}

function mappingOf(schema: Schema, path: string, value: JsonObject): Mapping {
  const { action } = value;
  if (action === 'ignore') return { action };
  if (action === 'setProperty') {
    return { action, propertyName: textIn(value['propertyName'] ?? null, `${path}.propertyName`) };
  }
  if (action !== 'createNode') {
    throw new FilesError(400, `The "action" of ${path} must be createNode, setProperty or ignore.`);
  }
  const type = typeNamed(schema, textIn(value['type'] ?? null, `${path}.type`));
  if (type.kind === 'relationship') throw new FilesError(422, `${type.name}, of ${path}, is no type of objects.`);
  const isRoot = value['isRoot'] === true || value['isRoot'] === 'true';
  const attributes = Object.entries(objectIn(value['properties'] ?? {}, `${path}.properties`));
  const propertyName = isRoot ? undefined : textIn(value['propertyName'] ?? null, `${path}.propertyName`);
  const { content } = value;
  return {
    action,
    isRoot,
    type,
    attributes: new Map(attributes.map(([name, property]) => [name, textIn(property, `${path}.properties.${name}`)])),
    propertyName,
    isSingle: value['multiplicity'] === '1' || value['multiplicity'] === 1,
    // The text of an element without such a property is no matter, unless it was asked for.
    content:
      typeof content === 'string' && content !== '' ? content : type.properties.has('content') ? 'content' : undefined,
  };
}

/** An element that has begun. */
interface Open {
  readonly path: string;
  readonly mapping: Mapping | undefined;
  readonly object: XmlObject | undefined;
  text: string;
}

/** A root object with all that is in it. */
export interface Found {
  readonly object: XmlObject;
  readonly path: string;
  /** Counts root objects from 1. */
  readonly number: number;
  readonly size: number;
}

export class XmlObjects {
  readonly #open: Open[] = [];
  #ignored = 0;
  /** What the root object that has begun holds already. */
  #size = 0;
  #nested = 0;
  #count = 0;

  constructor(private readonly mappings: XmlMappings) {}

  /** Takes the next event; returns the root object that ends with it. Throws `FilesError` 422 for one that is too large. */
  take(event: XmlEvent): Found | undefined {
    if (event.kind === 'text') this.#text(event.text);
    else if (event.kind === 'open') this.#begin(event.name, event.attributes);
    else return this.#end();
    return undefined;
  }

  #text(text: string): void {
    const open = this.#open.at(-1);
    const { mapping } = open ?? {};
    if (open === undefined || mapping === undefined || mapping.action === 'ignore') return;
    if ((mapping.action === 'createNode' && mapping.content === undefined) || this.#owner() === undefined) return;
    open.text += text;
    this.#grow(text.length);
  }

  #begin(name: string, attributes: Readonly<Record<string, string>>): void {
    const path = `${this.#open.at(-1)?.path ?? ''}/${name}`;
    const mapping = this.#ignored > 0 ? undefined : this.mappings.byPath.get(path);
    if (this.#ignored > 0 || mapping?.action === 'ignore') this.#ignored++;
    const object = mapping?.action === 'createNode' ? this.#object(mapping, attributes) : undefined;
    this.#open.push({ path, mapping, object, text: '' });
  }

  #object(
    mapping: Mapping & { readonly action: 'createNode' },
    attributes: Readonly<Record<string, string>>,
  ): XmlObject | undefined {
    // What is to be nested, and stands in nothing, is nobody's; a root within another one is a part of it.
    if (!mapping.isRoot && this.#owner() === undefined) return undefined;
    const input = Object.create(null) as JsonObject;
    for (const [name, property] of mapping.attributes) {
      const value = attributes[name];
      if (value !== undefined) this.#set({ type: mapping.type, input, nested: [] }, property, value);
    }
    if (++this.#nested > MOST_NESTED) throw tooLarge(`more than ${String(MOST_NESTED)} nested objects`);
    return { type: mapping.type, input, nested: [] };
  }

  #end(): Found | undefined {
    const open = this.#open.pop();
    if (this.#ignored > 0) this.#ignored--;
    const { mapping, object } = open ?? {};
    if (open === undefined || mapping === undefined || mapping.action === 'ignore') return undefined;
    const text = open.text.trim();
    const owner = this.#owner();
    if (mapping.action === 'setProperty') {
      if (owner !== undefined && text !== '') this.#set(owner, mapping.propertyName, text);
      return undefined;
    }
    if (object === undefined) return undefined;
    if (mapping.content !== undefined && text !== '') this.#set(object, mapping.content, text);
    if (mapping.propertyName !== undefined && owner !== undefined) {
      owner.nested.push({ object, propertyName: mapping.propertyName, isSingle: mapping.isSingle });
      return undefined;
    }
    const found = { object, path: open.path, number: ++this.#count, size: this.#size };
    if (owner === undefined) {
      this.#size = 0;
      this.#nested = 0;
    }
    return found;
  }

  /** The object that what comes next belongs to. */
  #owner(): XmlObject | undefined {
    return this.#open.findLast(({ object }) => object !== undefined)?.object;
  }

  /** One that is there already becomes one of several where a property holds several. */
  #set({ type, input }: XmlObject, key: string, text: string): void {
    const value = inputOf(type, key, text);
    if (value === undefined) return;
    const before = input[key];
    input[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    this.#grow(text.length);
  }

  #grow(characters: number): void {
    this.#size += characters;
    if (this.#size > LARGEST) throw tooLarge(`more than ${String(LARGEST)} characters`);
  }
}

function tooLarge(why: string): FilesError {
  return new FilesError(422, `One root element has ${why}; make elements further within the roots.`);
}
