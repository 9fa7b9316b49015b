/**
 * What scripts keep in the memory of this instance from one request to the next (docs/interface/script-runtime.md 6.1): the application store, and
 * attributes of sessions. Both are bounded, since nobody empties them.
 */
import { Flights } from './flights.js';
import type { GraphEntity } from '../../../graph/index.js';
import { ScriptError } from '../../language/errors.js';
import { nameOfValue } from '../../language/conversion.js';
import { formsOf, isMap, ScriptEntity } from '../../language/values.js';
import type { ScriptMap, ScriptObject, ScriptValue } from '../../language/values.js';

/** Sizes are estimates in bytes of memory. */
const MB = 1024 * 1024;
const MOST_OF_APPLICATION = 64 * MB;
const MOST_OF_CACHE = 64 * MB;
const MOST_CACHED = 100_000;
/** One value may have this part of the cache. */
const LARGEST_SHARE = 8;
const MOST_OF_SESSION = MB;
const MOST_SESSIONS = 5000;
/** What a value costs beside its text or bytes. */
const PLACE = 32;
const DEEPEST = 100;
const SECOND = 1000;

/** Whose objects kept values get: a run of scripts. */
interface Holder {
  readonly entities: { of(entity: GraphEntity): ScriptEntity };
}

interface Kept {
  readonly value: ScriptValue;
  readonly size: number;
  readonly hasEntities: boolean;
}

/** Named values, whose sizes together have a limit. */
export class Store {
  private readonly kept = new Map<string, Kept>();
  private size = 0;

  constructor(
    /** For messages. */
    readonly title: string,
    private readonly most: number,
  ) {}

  /** A value; its objects are those of `run`, as they are now. Null: there is none. */
  get(key: string, run: Holder): ScriptValue {
    const found = this.kept.get(key);
    if (found === undefined) return null;
    return found.hasEntities ? bound(found.value, run) : found.value;
  }

  has(key: string): boolean {
    return this.kept.has(key);
  }

  keys(): readonly string[] {
    return [...this.kept.keys()];
  }

  /**
   * Keeps a copy of a value; null takes the key out. Throws `ScriptError` 422 when the store would grow beyond its limit, and
   * for functions and other things that end with their script.
   */
  set(key: string, value: ScriptValue): void {
    if (value === null) {
      this.delete(key);
      return;
    }
    const kept = this.copyOf(key, value, this.most - this.size + (this.kept.get(key)?.size ?? 0));
    this.put(key, kept);
  }

  /** A copy to be put, of at most so much size. Throws `ScriptError` as `set` does. */
  copyOf(key: string, value: ScriptValue, most: number): Kept {
    const copying = new Copying(this.title, most);
    copying.add(PLACE + 2 * key.length);
    return { value: copying.copy(value), size: copying.size, hasEntities: copying.hasEntities };
  }

  put(key: string, kept: Kept): void {
    this.delete(key);
    this.kept.set(key, kept);
    this.size += kept.size;
  }

  /** What fits in. */
  get room(): number {
    return this.most - this.size;
  }

  delete(key: string): void {
    const found = this.kept.get(key);
    if (found === undefined) return;
    this.kept.delete(key);
    this.size -= found.size;
  }
}

/** A store as scripts see it. */
export function storeObject(store: Store, run: Holder): ScriptObject {
  return {
    isScriptObject: true,
    title: store.title,
    get: (key) => store.get(key, run),
    set: (key, value) => {
      store.set(key, value);
    },
    keys: () => store.keys(),
  };
}

/** Values of `cache()`, which all scripts of the instance share (docs/interface/script-runtime.md 6.2). The oldest make room for new ones. */
export class ValueCache {
  readonly flights = new Flights();
  private readonly store: Store;
  /** Milliseconds since 1970 until which a value counts, by key; in order of evaluation. */
  private readonly until = new Map<string, number>();

  constructor(private readonly most: number) {
    this.store = new Store('The cache', most);
  }

  /** A value that still counts; undefined: it is to be evaluated. */
  get(key: string, run: Holder): ScriptValue | undefined {
    const until = this.until.get(key);
    return until === undefined || Date.now() > until ? undefined : this.store.get(key, run);
  }

  /** Keeps a copy of a value for so many seconds; what is too large, or ends with its script, is not kept. */
  set(key: string, value: ScriptValue, seconds: number): void {
    this.delete(key);
    let kept: Kept;
    try {
      kept = this.store.copyOf(key, value, this.most / LARGEST_SHARE);
    } catch (error) {
      if (error instanceof ScriptError) return;
      throw error;
    }
    for (const oldest of this.until.keys()) {
      if (kept.size <= this.store.room && this.until.size < MOST_CACHED) break;
      this.delete(oldest);
    }
    this.store.put(key, kept);
    this.until.set(key, Date.now() + seconds * SECOND);
  }

  /** Whether there is a value, of whatever age. */
  has(key: string): boolean {
    return this.until.has(key);
  }

  delete(key: string): void {
    this.until.delete(key);
    this.store.delete(key);
  }
}

/** The stores of an instance. Requests are told apart by the options of their runs. */
export class Stores {
  private readonly requests = new WeakMap<object, Store>();

  /** What would be attributes of a session, for a request that has none; it ends with its scripts. Undefined: nothing was kept yet. */
  withoutSession(options: object): Store | undefined {
    return this.requests.get(options);
  }

  /** The same, made when it is not there. */
  beginWithoutSession(options: object): Store {
    let store = this.requests.get(options);
    if (store === undefined) this.requests.set(options, (store = new Store('The session', MOST_OF_SESSION)));
    return store;
  }

  readonly application = new Store('The application store', MOST_OF_APPLICATION);
  readonly cache = new ValueCache(MOST_OF_CACHE);
  private readonly sessions = new Map<string, Store>();

  /** Attributes of a session, by its stored id. They end with the instance, and with those not used for longest. */
  session(id: string): Store {
    const known = this.sessions.get(id);
    const store = known ?? new Store('The session', MOST_OF_SESSION);
    if (known !== undefined) this.sessions.delete(id);
    this.sessions.set(id, store);
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > MOST_SESSIONS && oldest !== undefined) this.sessions.delete(oldest);
    return store;
  }
}

class Copying {
  size = 0;
  hasEntities = false;

  constructor(
    private readonly title: string,
    private readonly most: number,
  ) {}

  add(size: number): void {
    this.size += size;
    if (this.size > this.most)
      throw new ScriptError(422, `${this.title} is full: this value does not fit in any more.`);
  }

  copy(value: ScriptValue, depth = 0): ScriptValue {
    if (depth > DEEPEST) throw new ScriptError(422, 'A list or map is nested too deeply to be kept, or holds itself.');
    this.add(PLACE);
    if (typeof value === 'string') this.add(2 * value.length);
    if (value === null || typeof value !== 'object') return value;
    if (value instanceof Date) return new Date(value);
    if (Array.isArray(value)) return value.map((one) => this.copy(one, depth + 1));
    if (isMap(value)) {
      const map: ScriptMap = new Map();
      for (const [key, one] of value) {
        this.add(2 * key.length);
        map.set(key, this.copy(one, depth + 1));
      }
      return map;
    }
    if (value instanceof Uint8Array) {
      this.add(value.length);
      return value.slice();
    }
    if (value instanceof ScriptEntity) {
      this.hasEntities = true;
      return new ScriptEntity(value.entity, -1);
    }
    const forms = formsOf(value);
    if (forms !== undefined) {
      this.add(forms.size);
      return value;
    }
    throw new ScriptError(422, `${this.title} cannot keep this: ${nameOfValue(value)} ends with the script.`);
  }
}

/** A copy whose objects are those of a run. */
function bound(value: ScriptValue, run: Holder): ScriptValue {
  if (value instanceof ScriptEntity) {
    const one = run.entities.of(value.entity);
    // As it was when it was kept: to be read again.
    one.asOf = -1;
    return one;
  }
  if (Array.isArray(value)) return value.map((one) => bound(one, run));
  if (isMap(value)) return new Map([...value].map(([key, one]) => [key, bound(one, run)]));
  return value;
}
