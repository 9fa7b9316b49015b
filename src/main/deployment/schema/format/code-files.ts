/**
 * The form `tree` of the document: scripts in files of their own, `./` and their path in their place. A file is found by the names of what it
 * belongs to, whatever the path says.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/json/index.js';
import { EXACT } from './exact.js';

/** Texts of files by their path in the folder of the schema, without `./`. */
export type CodeFiles = ReadonlyMap<string, string>;

/** One script of a document. */
interface Code {
  readonly holder: JsonObject;
  readonly key: 'source' | 'readFunction' | 'writeFunction';
  readonly path: string;
  /** Where old exports have it. */
  readonly oldPath?: string;
  readonly isFunction: boolean;
}

function* codesIn(document: JsonObject): Generator<Code> {
  const { definitions, methods } = document;
  for (const [type, definition] of entriesOf(definitions)) {
    for (const [name, method] of entriesOf(definition['methods'])) yield methodCode(type, name, method);
    for (const [name, property] of entriesOf(definition['properties'])) {
      for (const key of ['readFunction', 'writeFunction'] as const)
        yield { holder: property, key, path: `${type}/functions/${name}.${key}`, isFunction: false };
    }
  }
  for (const holder of Array.isArray(methods) ? methods : []) {
    if (!isJsonObject(holder) || typeof holder['name'] !== 'string') continue;
    yield { holder, key: 'source', path: `_globalMethods/${holder['name']}`, isFunction: true };
  }
}

/** Objects of a map, of which some may be lists. */
function* entriesOf(map: JsonValue | undefined): Generator<readonly [name: string, object: JsonObject]> {
  if (!isJsonObject(map)) return;
  for (const name of Object.keys(map)) {
    const value = map[name];
    for (const one of Array.isArray(value) ? value : [value]) if (isJsonObject(one)) yield [name, one];
  }
}

function methodCode(type: string, name: string, holder: JsonObject): Code {
  const { parameters } = holder;
  const count = isJsonObject(parameters) ? Object.keys(parameters).length : 0;
  const path = `${type}/methods/${name}`;
  return { holder, key: 'source', path, oldPath: `${path}.${String(count)}`, isFunction: false };
}

/** Moves the scripts of a document that was just written into files. */
export function splitCode(document: JsonObject): CodeFiles {
  const files = new Map<string, string>();
  for (const { holder, key, path, isFunction } of codesIn(document)) {
    const text = holder[key];
    if (typeof text === 'string') files.set(path, text);
    else if (!isFunction) continue;
    // The path stands there in any case; that there is no file has to be told from one that was lost.
    else holder[EXACT] = { ...(isJsonObject(holder[EXACT]) ? holder[EXACT] : {}), source: null };
    holder[key] = `./${path}`;
  }
  return files;
}

/** Whether scripts of a document stand in files. */
export function hasCodeFiles(document: JsonObject): boolean {
  for (const { holder, key } of codesIn(document)) {
    const text = holder[key];
    if (typeof text === 'string' && text.startsWith('./')) return true;
  }
  return false;
}

/** Puts the texts of files in the place of their paths; the paths of those that are missing. */
export function joinCode(document: JsonObject, files: CodeFiles): string[] {
  const missing: string[] = [];
  for (const { holder, key, path, oldPath } of codesIn(document)) {
    const told = holder[key];
    if (typeof told !== 'string') continue;
    const text = files.get(path) ?? (oldPath === undefined ? undefined : files.get(oldPath));
    if (text !== undefined) holder[key] = text;
    else if (told.startsWith('./')) {
      holder[key] = null;
      const exact = holder[EXACT];
      if (!isJsonObject(exact) || exact['source'] !== null) missing.push(path);
    }
  }
  return missing;
}
