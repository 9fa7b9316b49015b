/**
 * The values that scripts of both languages work with (docs/interface/scripting.md 4.1). The interface knows two kinds of numbers
 * that print differently: integers are `bigint` here, everything else is `number`.
 */
import type { GraphEntity } from '../../graph/index.js';
import type { Actor, ObjectAccess } from '../../schema/index.js';

/** Absent is always `null`, never undefined. */
export type ScriptValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Uint8Array
  | ScriptEntity
  | ScriptMap
  | ScriptCallable
  | ScriptPredicate
  | ScriptObject
  | ScriptValue[];

/** A map or plain object; in order of insertion. Keys are texts, so nobody's prototype is in the way. */
export type ScriptMap = Map<string, ScriptValue>;

/** What may take a while; most of what scripts do does not, and is not made to wait for it. */
export type Awaitable<T> = T | Promise<T>;

/**
 * An object or relationship of the graph as scripts hold it: one for each entity of a run, so that all who hold it see what
 * any of them wrote. Its values are read through `ScriptRun.entities`.
 */
export class ScriptEntity {
  constructor(
    /** As it was when it was last read or written in this run. */
    public entity: GraphEntity,
    /** Number of changes of the run's transaction when it was read: it is read again when there are more. */
    public asOf: number,
  ) {}

  /** What was read with it, itself included: it is likely to be asked for the same. Absent: it was read by itself. */
  together: readonly GraphEntity[] | undefined = undefined;

  get id(): string {
    return this.entity.id;
  }
  get type(): string {
    return this.entity.type;
  }
}

/** Where a function or an object of a script is used: a `ScriptContext` (run/run.ts), of which values know only what it is called and whose rights count. */
export interface Using {
  readonly title: string;
  readonly actor: Actor;
  readonly access: ObjectAccess;
}

/** A method, not a field: who makes one may ask for the whole `ScriptContext`, which all callers have. */
interface Callable {
  call(args: readonly ScriptValue[], context?: Using): Promise<ScriptValue>;
}

/**
 * A function of a script that is handed to a function of the library (`doPrivileged`, `cache`, `schedule`, ...). What it does
 * counts as done in `context`; absent: in that of the script it is from.
 */
export class ScriptCallable {
  constructor(readonly call: Callable['call']) {}
}

/** A condition or directive of `find` and `search` (docs/interface/scripting.md 8.2), made by the functions whose names begin with `find.` */
export class ScriptPredicate {
  constructor(
    readonly name: string,
    readonly args: readonly ScriptValue[],
  ) {}
}

/**
 * Something of the service that scripts see as an object: the request, the session, a store, a type's static methods.
 * Only what it names can be reached.
 */
export interface ScriptObject {
  readonly isScriptObject: true;
  /** What it is, for messages. */
  readonly title: string;
  get(key: string): Awaitable<ScriptValue>;
  /** Absent: nothing can be assigned. Null removes the key. */
  set?(key: string, value: ScriptValue): Awaitable<void>;
  /** Names that are enumerated. */
  keys(): Awaitable<readonly string[]>;
  /** Whether this name is one of a method, for JavaScript; absent: no name is. */
  hasMethod?(name: string): boolean;
  /** Absent: it has no methods. */
  call?(name: string, args: readonly ScriptValue[]): Awaitable<ScriptValue>;
  /** What `for (... of ...)` of JavaScript goes through; absent: it is no collection. */
  elements?(): Awaitable<ScriptValue[]>;
  /** The same for another context, whose rights count then; absent: it has none of its own. */
  within?(context: Using): ScriptObject;
  /** Absent: it is a part of the service, which cannot be stored or sent, and its text is its title. */
  readonly asValue?: ValueForms;
}

/** What an object that is a value is outside of scripts. It never changes. */
export interface ValueForms {
  /** Its text, which properties store. */
  text(): string;
  /** Its JSON. */
  json(): ScriptMap;
  /** Bytes that it takes, about. */
  readonly size: number;
}

/** Bytes of a part that a text is put together from, about. */
const BYTES_OF_PART = 16;

/** As how many parts of a list or map a value counts whose text is put together anew. */
export function partsOf({ size }: ValueForms): number {
  return Math.ceil(size / BYTES_OF_PART);
}

/** Undefined: this is no object, or one of the service. */
export function formsOf(value: ScriptValue): ValueForms | undefined {
  return isScriptObject(value) ? value.asValue : undefined;
}

export function isScriptObject(value: ScriptValue): value is ScriptObject {
  return value !== null && typeof value === 'object' && 'isScriptObject' in value;
}

export function isMap(value: ScriptValue): value is ScriptMap {
  return value instanceof Map;
}

/** Goes on with a value as soon as it is there, which for most is at once. */
export function chain<T, R>(value: Awaitable<T>, then: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(then) : then(value);
}
