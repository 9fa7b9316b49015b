/**
 * Parses the JSON of request bodies, leniently: unquoted names and strings, single quotes, comments (two slashes,
 * hash, slash and star), `;` between members, `=` and `=>` after names (docs/interface/rest.md 2.1).
 *
 * Integers beyond 2^53 become `bigint`, beyond 64 bit they are an error; text with a fraction or exponent becomes a
 * number. Objects have no prototype, `__proto__` is a name like any other, the last of equal names wins. An array
 * element left out (`[1,,2]`) is null. An object has at most 100 000 members.
 */
import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { JsonLimitError } from './limit-error.js';
import { JsonReader, type JsonReaderOptions } from './reader.js';
import { JsonSyntaxError } from './syntax-error.js';
import type { JsonValue } from './value.js';

export interface JsonParseOptions {
  /** Drop null elements and arrays directly within arrays, silently (docs/interface/rest.md 2.1). */
  readonly restArrays?: boolean;
  /** Accept a string, number or Boolean as the whole text; null is always accepted. */
  readonly primitives?: boolean;
  /** Deepest nesting of objects and arrays, default 128. */
  readonly maxDepth?: number;
  /** Two members of one name in an object are an error; else the last one counts. */
  readonly distinctNames?: boolean;
  /** Most characters of one text, as they are written. */
  readonly maxText?: number;
  /** Most elements and members, all together; more are a `JsonLimitError`. */
  readonly maxValues?: number;
  /** Most objects; more are a `JsonLimitError`. */
  readonly maxObjects?: number;
  /**
   * Told while it goes on about how many bytes more of the heap the text and what was read of it take; what it throws ends
   * the work. Not told of texts that are too short to matter.
   */
  readonly takes?: (bytes: number) => void;
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
/** Shorter texts are not worth counting. */
const UNCOUNTED = 4096;
/** Measured: an object or list without members, and what a member or element adds. */
const CONTAINER_BYTES = 200;
const VALUE_BYTES = 48;
/** Such an integer may be beyond 2^53, where the engine's parser would round it. Digits within texts mostly are no numbers. */
const LONG_NUMBER = /(?:^|[\s:,[])-?\d{16}/;
/** Begins with a bare name: letting the engine's parser fail costs more than the lenient one takes. */
const BARE = /^\s*\{\s*[^\s"}]/;

/** Parses text of any size without holding up the event loop. Throws `JsonSyntaxError`, `JsonLimitError`. */
export async function parseJson(input: string | Uint8Array, options: JsonParseOptions = {}): Promise<JsonValue> {
  if (input.length <= SMALL) return parseJsonSync(input, options);
  const text = typeof input === 'string' ? input : await decodeInTurns(input);
  options.takes?.(text.length);
  const reader = newReader(text, options);
  let counted = 0;
  for (let done = false; !done;) {
    done = reader.run(performance.now() + SLICE_MS);
    const held = heldBy(reader);
    if (held > counted) options.takes?.(held - counted);
    counted = held;
    if (!done) await nextTurn();
  }
  // Putting the pieces of a long string together is one long step.
  if (text.length > LARGE) {
    await nextTurn();
    // The first may still be in the turn in which the text arrived.
    await nextTurn();
  }
  return reader.result;
}

/** Parses at once. For small texts: nothing else happens meanwhile. Throws `JsonSyntaxError`, `JsonLimitError`. */
export function parseJsonSync(input: string | Uint8Array, options: JsonParseOptions = {}): JsonValue {
  const text = typeof input === 'string' ? input : decode(input);
  // That one does not tell of names that are there twice.
  if (options.distinctNames !== true && text.length <= SMALL && !BARE.test(text) && !LONG_NUMBER.test(text)) {
    const strict = parseStrict(text, options);
    if (strict !== undefined) return strict;
  }
  const reader = newReader(text, options);
  reader.run(Number.POSITIVE_INFINITY);
  if (text.length > UNCOUNTED) options.takes?.(text.length + heldBy(reader));
  return reader.result;
}

/** The text of JSON. Gives way to the loop while it decodes a long one. Throws `JsonSyntaxError`. */
export function decodeJson(bytes: Uint8Array): string | Promise<string> {
  return bytes.length <= SMALL ? decode(bytes) : decodeInTurns(bytes);
}

/** About how many bytes what was read takes, without its texts. */
function heldBy({ values, containers }: { readonly values: number; readonly containers: number }): number {
  return values * VALUE_BYTES + containers * CONTAINER_BYTES;
}

function newReader(text: string, options: JsonParseOptions): JsonReader {
  const all: JsonReaderOptions = {
    maxDepth: options.maxDepth ?? MAX_DEPTH,
    restArrays: options.restArrays ?? false,
    primitives: options.primitives ?? false,
    distinctNames: options.distinctNames ?? false,
    ...(options.maxText === undefined ? {} : { maxText: options.maxText }),
    maxValues: options.maxValues ?? Number.POSITIVE_INFINITY,
    maxObjects: options.maxObjects ?? Number.POSITIVE_INFINITY,
  };
  return new JsonReader(text, all);
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
  const normalizer = new Normalizer(options.restArrays ?? false);
  const normal = normalizer.normal(value, options.maxDepth ?? MAX_DEPTH);
  if (normal === undefined) return undefined;
  const { maxValues, maxObjects } = options;
  if (maxObjects !== undefined && normalizer.objects > maxObjects) throw new JsonLimitError('objects', maxObjects);
  if (maxValues !== undefined && normalizer.values > maxValues) throw new JsonLimitError('values', maxValues);
  if (text.length > UNCOUNTED) options.takes?.(text.length + heldBy(normalizer));
  return normal;
}

/** Takes the prototypes off what the engine's parser made, looks at depths and numbers, and counts. */
class Normalizer {
  values = 0;
  containers = 0;
  objects = 0;

  constructor(private readonly restArrays: boolean) {}

  /** undefined leaves the error to the lenient parser. */
  normal(value: unknown, depth: number): JsonValue | undefined {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
    if (depth === 0) return undefined;
    this.containers++;
    if (Array.isArray(value)) {
      const array: JsonValue[] = [];
      for (const item of value as unknown[]) {
        this.values++;
        const element = this.normal(item, depth - 1);
        if (element === undefined) return undefined;
        if (this.restArrays && (element === null || Array.isArray(element))) continue;
        array.push(element);
      }
      return array;
    }
    this.objects++;
    const source = value as Record<string, unknown>;
    const object = Object.create(null) as Record<string, JsonValue>;
    for (const name of Object.keys(source)) {
      this.values++;
      const member = this.normal(source[name], depth - 1);
      if (member === undefined) return undefined;
      object[name] = member;
    }
    return object;
  }
}
