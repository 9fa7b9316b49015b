/**
 * Values as they cross between the loop and an isolate; the other side is `prelude-wire.ts`. A JSON text of tagged lists: nothing of
 * it is trusted, and handles mean only what this session has handed out.
 */
import { ScriptError } from '../../language/errors.js';
import type { EvaluatedSource } from './source/evaluated.js';
import {
  isMap,
  isScriptObject,
  ScriptCallable,
  ScriptEntity,
  ScriptPredicate,
  type ScriptMap,
  type ScriptObject,
  type ScriptValue,
} from '../../language/values.js';

/** What JSON.parse gives, whatever was sent. */
export type Wire = null | boolean | number | string | readonly Wire[] | { readonly [key: string]: Wire };
type Opaque = ScriptPredicate | ScriptCallable | ScriptObject | Uint8Array;

const DEEPEST = 220;
/** Things that a session holds for its scripts. */
const MOST_HANDLES = 500_000;
/** Values that cross at once. */
const MOST_VALUES = 2_000_000;
const MOST_CHARACTERS = 32 * 1024 * 1024;
/** Maps whose changes are followed; those beyond cross as copies. */
const MOST_MAPS = 200_000;
const LARGEST_LONG = 2 ** 63;
const LONGEST_BYTES = 1 << 24;

/** A promise, or another object of a script that no one else understands; it goes back as what it was. */
export class KeptObject implements ScriptObject {
  readonly isScriptObject = true;
  readonly title = 'A promise';
  constructor(
    readonly owner: object,
    readonly number: number,
  ) {}
  get(): ScriptValue {
    return null;
  }
  keys(): readonly string[] {
    return [];
  }
}

/** An error that a function of a script is given (`doInNewTransaction`): an exception there, with its stack. */
export class ThrownError implements ScriptObject {
  readonly isScriptObject = true;
  readonly title = 'An error';
  constructor(readonly error: Error) {}
  get(): ScriptValue {
    return null;
  }
  keys(): readonly string[] {
    return [];
  }
}

export class WireError extends ScriptError {
  constructor(message: string) {
    super(422, message);
  }
}

/** What one session has handed out, and what it was handed. */
export class Crossing {
  readonly entities: ScriptEntity[] = [];
  private readonly entityHandles = new Map<ScriptEntity, number>();
  private readonly maps: ScriptMap[] = [];
  private readonly mapHandles = new Map<ScriptMap, number>();
  private readonly opaque: Opaque[] = [];
  private readonly opaqueHandles = new Map<Opaque, number>();
  private readonly callables = new Map<number, ScriptCallable>();
  private readonly callableNumbers = new WeakMap<ScriptCallable, number>();

  /** `functionNumbered` calls a function of the scripts of this session. */
  constructor(
    private readonly functionNumbered: (number: number) => ScriptCallable,
    /** Answers the number by which positions in a source are told. */
    readonly addSource: (source: EvaluatedSource) => number,
    /** What the isolate is told of an error, to make one of its own of it. */
    private readonly encodeError: (error: Error) => readonly Wire[],
  ) {}

  encode(value: ScriptValue, depth = 0): Wire {
    if (depth === 0) {
      this.left = MOST_VALUES;
      this.characters = MOST_CHARACTERS;
    }
    if (typeof value === 'string') return this.spendText(value);
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : ['n', String(value)];
    if (typeof value === 'bigint') {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : ['i', String(value)];
    }
    if (value === null) return null;
    if (depth > DEEPEST) throw new WireError('A list or map is nested too deeply, or holds itself.');
    if (value instanceof ScriptEntity) return this.encodeEntity(value);
    if (Array.isArray(value)) {
      this.spend(value.length);
      const out: Wire[] = ['a'];
      for (const one of value) out.push(this.encode(one, depth + 1));
      return out;
    }
    if (value instanceof Date) {
      const time = value.getTime();
      return ['d', Number.isNaN(time) ? null : time];
    }
    if (isMap(value)) return this.encodeMap(value, depth);
    if (value instanceof ThrownError) return ['x', ...this.encodeError(value.error)];
    if (value instanceof KeptObject && value.owner === this) return ['k', value.number];
    if (value instanceof ScriptCallable) {
      const number = this.callableNumbers.get(value);
      return number === undefined ? ['F', this.opaqueHandle(value)] : ['k', number];
    }
    const handle = this.opaqueHandle(value);
    if (isScriptObject(value)) {
      // The text of a value may be long: it comes when it is asked for.
      const title = value.asValue === undefined ? value.title : null;
      return ['s', handle, title, value.call !== undefined, value.elements !== undefined];
    }
    return ['o', handle, value instanceof ScriptPredicate ? value.name : 'bytes'];
  }

  private encodeEntity(one: ScriptEntity): Wire {
    let handle = this.entityHandles.get(one);
    if (handle === undefined) {
      handle = this.entities.push(one) - 1;
      this.entityHandles.set(one, handle);
      this.bounded(handle);
    }
    return ['e', handle, one.id, one.type];
  }

  /**
   * How many objects behind this one to send along: none at first, and twice as many each time the one is read that follows
   * on what was sent last.
   */
  readAhead(handle: number, most: number): number {
    const count = handle === this.nextLoad ? Math.min(most, Math.max(1, this.loaded * 2)) : 0;
    this.loaded = count;
    this.nextLoad = handle + count + 1;
    return count;
  }
  private nextLoad = -1;
  private loaded = 0;

  /** One list may be in another many times. */
  private spend(count: number): void {
    this.left -= count;
    if (this.left < 0) throw new WireError('A list or map holds too many values for a script.');
  }
  private left = 0;

  /** Of a text that is in a list many times each is written out. */
  private spendText(text: string): string {
    this.characters -= text.length;
    if (this.characters < 0) throw new WireError('So much text cannot enter the script at once.');
    return text;
  }
  private characters = 0;

  private encodeMap(map: ScriptMap, depth: number): Wire {
    this.spend(map.size);
    const link = this.links.get(map);
    if (link !== undefined) return ['l', link];
    let handle = this.mapHandles.get(map) ?? 0;
    if (handle === 0 && this.maps.length < MOST_MAPS) {
      handle = this.maps.push(map);
      this.mapHandles.set(map, handle);
    }
    const out: Wire[] = ['m', handle];
    for (const [key, one] of map) out.push(this.spendText(key), this.encode(one, depth + 1));
    return out;
  }

  private opaqueHandle(value: Opaque): number {
    let handle = this.opaqueHandles.get(value);
    if (handle === undefined) {
      handle = this.opaque.push(value) - 1;
      this.opaqueHandles.set(value, handle);
      this.bounded(handle);
    }
    return handle;
  }

  private bounded(count: number): void {
    if (count >= MOST_HANDLES) throw new WireError('This script holds too many objects at once.');
  }

  decode(wire: Wire | undefined, depth = 0): ScriptValue {
    if (wire === null || wire === undefined || typeof wire === 'boolean' || typeof wire === 'string')
      return wire ?? null;
    if (typeof wire === 'number') {
      return Number.isInteger(wire) && Math.abs(wire) < LARGEST_LONG ? BigInt(wire) : wire;
    }
    if (depth > DEEPEST || !isList(wire)) throw new WireError('A value of the script cannot be read.');
    const [tag, first] = wire;
    switch (tag) {
      case 'a':
        return wire.slice(1).map((one) => this.decode(one, depth + 1));
      case 'm':
        return this.decodeMap(wire, depth);
      case 'e':
        return this.entity(first);
      case 'd':
        return new Date(typeof first === 'number' ? first : NaN);
      case 'i':
        return long(first);
      case 'n':
        return Number(first);
      case 'b':
        return bytes(first);
      case 'f':
        return this.callable(first);
      case 'j':
        return new KeptObject(this, index(first));
      case 'o':
        return this.handed(first);
      default:
        throw new WireError('A value of the script cannot be read.');
    }
  }

  private decodeMap(wire: readonly Wire[], depth: number): ScriptMap {
    const known = this.maps[index(wire[1]) - 1];
    const sent = new Map<string, ScriptValue>();
    for (let i = 2; i < wire.length; i += 2) sent.set(textOf(wire[i]), this.decode(wire[i + 1], depth + 1));
    if (known === undefined) return sent;
    // What was changed inside of its lists comes along; numbers that are the same stay what they were.
    for (const key of known.keys()) if (!sent.has(key)) known.delete(key);
    for (const [key, one] of sent) {
      const before = known.get(key);
      if (!(typeof before === 'number' && typeof one === 'bigint' && before === Number(one))) known.set(key, one);
    }
    return known;
  }

  entity(handle: Wire | undefined): ScriptEntity {
    const found = this.entities[index(handle)];
    if (found === undefined) throw new WireError('This object is unknown to the script.');
    return found;
  }

  map(handle: Wire | undefined): ScriptMap {
    const found = this.maps[index(handle) - 1];
    if (found === undefined) throw new WireError('This map is unknown to the script.');
    return found;
  }

  handed(handle: Wire | undefined): Opaque {
    const found = this.opaque[index(handle)];
    if (found === undefined) throw new WireError('This object is unknown to the script.');
    return found;
  }

  private callable(wire: Wire | undefined): ScriptCallable {
    const number = index(wire);
    let found = this.callables.get(number);
    if (found === undefined) {
      this.bounded(this.callables.size);
      found = this.functionNumbered(number);
      this.callables.set(number, found);
      this.callableNumbers.set(found, number);
    }
    return found;
  }

  list(wire: Wire | undefined): ScriptValue[] {
    const value = this.decode(wire);
    return Array.isArray(value) ? value : [];
  }

  /** Calls a method of a user: the objects that are its arguments are the same ones in its script (docs/interface/scripting.md 6.3). */
  async linked<T>(wire: Wire | undefined, work: (args: ScriptValue[]) => Promise<T>): Promise<T> {
    const args = this.list(wire);
    const maps: ScriptMap[] = [];
    for (const [i, one] of args.entries()) {
      const sent = isList(wire) ? wire[i + 1] : undefined;
      const number = isList(sent) && sent[0] === 'm' ? -Number(sent[1]) : 0;
      if (!isMap(one) || !(number > 0)) continue;
      this.links.set(one, number - 1);
      maps.push(one);
    }
    try {
      return await work(args);
    } finally {
      for (const one of maps) this.links.delete(one);
    }
  }
  private readonly links = new Map<ScriptMap, number>();
}

export function isList(wire: Wire | undefined): wire is readonly Wire[] {
  return Array.isArray(wire);
}

export function textOf(wire: Wire | undefined): string {
  if (typeof wire !== 'string') throw new WireError('A name of the script cannot be read.');
  return wire;
}

function index(wire: Wire | undefined): number {
  return typeof wire === 'number' && Number.isSafeInteger(wire) && wire >= 0 ? wire : -1;
}

function long(wire: Wire | undefined): bigint {
  if (typeof wire !== 'string' || !/^-?\d{1,20}$/.test(wire))
    throw new WireError('A number of the script is too long.');
  return BigInt.asIntN(64, BigInt(wire));
}

function bytes(wire: Wire | undefined): Uint8Array {
  if (typeof wire !== 'string' || wire.length > LONGEST_BYTES) throw new WireError('These bytes cannot be read.');
  return Uint8Array.from(Buffer.from(wire, 'latin1'));
}
