/**
 * Parses the JSON of request bodies, leniently: unquoted names and strings, single quotes, comments (two slashes,
 * hash, slash and star), `;` between members, `=` and `=>` after names (rest.md 3).
 *
 * Integers beyond 2^53 become `bigint`, beyond 64 bit they are an error; text with a fraction or exponent becomes a
 * number. Objects have no prototype, `__proto__` is a name like any other, the last of equal names wins. An array
 * element left out (`[1,,2]`) is null. An object has at most 100 000 members.
 */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { JsonReader } from './json-reader.js';
import { JsonSyntaxError } from './json-syntax-error.js';
import type { JsonValue } from './json.js';

export { JsonSyntaxError } from './json-syntax-error.js';

export interface JsonParseOptions {
  /** Drop null elements and arrays directly within arrays, silently (rest.md 3). */
  readonly restArrays?: boolean;
  /** Accept a string, number or Boolean as the whole text; null is always accepted. */
  readonly primitives?: boolean;
  /** Deepest nesting of objects and arrays, default 128. */
  readonly maxDepth?: number;
}

/** Up to here the engine's own parser is fast enough not to be noticed by other requests. */
const SMALL = 64 * 1024;
/** Parsing pauses after so many milliseconds, to let the loop serve others. */
const SLICE_MS = 4;
/** Characters after whose parsing the loop gets a turn in any case. */
const LARGE = 512 * 1024;
/** Decoded at once. */
const DECODE_BYTES = 512 * 1024;
const MAX_DEPTH = 128;
/** Such an integer may be beyond 2^53, where the engine's parser would round it. */
const LONG_NUMBER = /\d{16}/;
/** Begins with a bare name: letting the engine's parser fail costs more than the lenient one takes. */
const BARE = /^\s*\{\s*[^\s"}]/;

/** Parses text of any size without holding up the event loop. Throws `JsonSyntaxError`. */
export async function parseJson(input: string | Uint8Array, options: JsonParseOptions = {}): Promise<JsonValue> {
  if (input.length <= SMALL) return parseJsonSync(input, options);
  const text = typeof input === 'string' ? input : await decodeInTurns(input);
  const reader = newReader(text, options);
  while (!reader.run(performance.now() + SLICE_MS)) await nextTurn();
  // Putting the pieces of a long string together is one long step.
  if (text.length > LARGE) {
    await nextTurn();
    // The first may still be in the turn in which the text arrived.
    await nextTurn();
  }
  return reader.result;
}

/** Parses at once. For small texts: nothing else happens meanwhile. Throws `JsonSyntaxError`. */
export function parseJsonSync(input: string | Uint8Array, options: JsonParseOptions = {}): JsonValue {
  const text = typeof input === 'string' ? input : decode(input);
  if (text.length <= SMALL && !BARE.test(text) && !LONG_NUMBER.test(text)) {
    const strict = parseStrict(text, options);
    if (strict !== undefined) return strict;
  }
  const reader = newReader(text, options);
  reader.run(Number.POSITIVE_INFINITY);
  return reader.result;
}

function newReader(text: string, options: JsonParseOptions): JsonReader {
  return new JsonReader(text, options.maxDepth ?? MAX_DEPTH, options.restArrays ?? false, options.primitives ?? false);
}

function decode(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw invalidUtf8();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

async function decodeInTurns(bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  try {
    for (let from = 0; from < bytes.length; from += DECODE_BYTES) {
      if (from > 0) await nextTurn();
      text += decoder.decode(bytes.subarray(from, from + DECODE_BYTES), { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw invalidUtf8();
    throw error;
  }
}

function invalidUtf8(): JsonSyntaxError {
  return new JsonSyntaxError('The text is not valid UTF-8.');
}

/** The engine's parser, for texts without peculiarities; undefined when only the lenient one can tell. */
function parseStrict(text: string, options: JsonParseOptions): JsonValue | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (value === null) return null;
  if (typeof value !== 'object' && options.primitives !== true) return undefined;
  return normal(value, options.maxDepth ?? MAX_DEPTH, options.restArrays ?? false);
}

/** Takes the prototypes off and looks at depths and numbers; undefined leaves the error to the lenient parser. */
function normal(value: unknown, depth: number, restArrays: boolean): JsonValue | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) {
    const array: JsonValue[] = [];
    for (const item of value as unknown[]) {
      const element = normal(item, depth - 1, restArrays);
      if (element === undefined) return undefined;
      if (restArrays && (element === null || Array.isArray(element))) continue;
      array.push(element);
    }
    return array;
  }
  const source = value as Record<string, unknown>;
  const object = Object.create(null) as Record<string, JsonValue>;
  for (const name of Object.keys(source)) {
    const member = normal(source[name], depth - 1, restArrays);
    if (member === undefined) return undefined;
    object[name] = member;
  }
  return object;
}
