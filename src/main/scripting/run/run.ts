/**
 * What scripts know of where they run (docs/interface/scripting.md 5, docs/interface/script-runtime.md 3, 6.1): each its context, and all that one request
 * sets off the run. Both name each other, so they are one file.
 */
import type { Config } from '../../config/index.js';
import type { Changelog } from '../../events/index.js';
import type { EditMode, Files } from '../../files/index.js';
import type { Media } from '../../media/index.js';
import type { Exchange } from '../../http/index.js';
import type { Actor, ErrorToken, MethodDefinition, ObjectAccess, Schema, Type } from '../../schema/index.js';
import type { Security } from '../../security/index.js';
import { logger } from '../../../shared/log.js';
import { ScriptError, type Position } from '../language/errors.js';
import type { ScriptHost } from './host.js';
import { Entities } from './entities.js';
import type { Note } from './notes.js';
import type { Pace } from './limits/pace.js';
import type { Programs } from './programs.js';
import type { EncryptionKeys } from './keys.js';
import { ScriptResponse } from './response/response.js';
import { behindBlanks, START } from '../language/place.js';
import type { Caller, OwnTransaction } from './caller.js';
import type { Stores } from './stores/stores.js';
import type { ScriptThreads } from './limits/threads.js';
import { Timers } from './limits/timers.js';
import type { ScriptTransaction, TransactionParts } from './transaction/transaction.js';
import type { Awaitable, ScriptEntity, ScriptMap, ScriptValue } from '../language/values.js';

const log = logger('scripting');
/** By request. */
const warnings = new WeakMap<RunOptions, number>();
/** Lines that one request may write to the log by itself, not counting `log()`. */
const MOST_WARNINGS = 20;

/** What the scripting room is built from. */
export interface ScriptingParts extends TransactionParts {
  readonly config: Config;
  readonly security: Security;
  readonly files: Files;
  readonly media: Media;
  readonly changelog: Changelog;
  readonly host: ScriptHost;
  readonly stores: Stores;
  readonly keys: EncryptionKeys;
  readonly programs: Programs;
  readonly threads: ScriptThreads;
  readonly pages: PagesPlace;
  /** See `runAside`. */
  aside<T>(outer: ScriptRun, caller: Caller, work: (inner: ScriptRun) => Promise<T>): Promise<T>;
  /** See `Scripting.inTransaction`. */
  inTransaction<T>(
    title: string,
    caller: Caller,
    work: (context: ScriptContext) => Promise<T>,
    options?: OwnTransaction,
  ): Promise<T>;
}

/** The request that scripts run for. */
export interface ScriptRequest {
  readonly exchange: Exchange;
  /** Parameters of the query, decoded: a text, or a list when it was sent several times. */
  readonly parameters: ReadonlyMap<string, string | readonly string[]>;
}

export interface RunOptions {
  readonly request?: ScriptRequest | undefined;
  /** `de_DE` */
  readonly locale: string;
  /** Ends what its scripts wait for (jobs). */
  readonly signal?: AbortSignal | undefined;
  /** Hears of each line that its scripts write into the log, and of what they do wrong without failing by it. */
  readonly told?: ((line: string) => void) | undefined;
}

/** One script on its way: changes from call to call, while `run` is the same for all that one request sets off. */
export interface ScriptContext {
  readonly run: ScriptRun;
  /** With whose rights it acts; another one inside of `doPrivileged` and `doAs`. */
  readonly actor: Actor;
  readonly access: ObjectAccess;
  /** Keyword `this`. */
  readonly self: ScriptEntity | null;
  /** Keyword `methodParameters`; null outside of methods. */
  readonly parameters: ScriptMap | null;
  /** The method or user-defined function that runs; absent outside of them. */
  readonly method?: MethodDefinition;
  /** Names that are defined for this script alone: `data`, `accumulator`, `value`, `link`, ... */
  readonly constants: ReadonlyMap<string, ScriptValue>;
  /** What the script is called in messages: `Project.close`, `/index.html`. */
  readonly title: string;
}

/** What runs scripts, whatever their language; for functions and keywords that set off others. */
export interface ScriptEngine {
  /**
   * Runs a source: `{ ... }` is JavaScript, everything else an expression (docs/interface/scripting.md 1.2). `wrapped`: JavaScript answers by
   * `return`. `origin`: where the source begins in what its user wrote; absent: at its first character. Throws `ScriptError`.
   */
  evaluate(source: string, context: ScriptContext, wrapped: boolean, origin?: Position): Promise<ScriptValue>;
  /** Text with `${...}` in it, scripts replaced by their results (docs/interface/scripting.md 7.1). `origin` as in `evaluate`. */
  replace(text: string, context: ScriptContext, origin?: Position): Promise<string>;
  /** Whether objects of this type, or the type itself, have a method of this name that scripts may call. */
  hasMethod(target: ScriptEntity | Type, name: string, context: ScriptContext): boolean;
  /** Calls a method of an object, or a static one of a type; arguments are maps, merged (docs/interface/scripting.md 6.3). */
  callMethod(
    target: ScriptEntity | Type,
    name: string,
    args: readonly ScriptValue[],
    context: ScriptContext,
  ): Promise<ScriptValue>;
  /** Counts how deep calls are in each other. Throws `ScriptError` 422 when they go on for ever. */
  nested<T>(context: ScriptContext, work: () => Promise<T>): Promise<T>;
  /** Keeps functions of JavaScript callable when their script has ended, until the answer is called. */
  hold(context: ScriptContext): () => void;
  /** Whether there is a user-defined function of this name. */
  hasFunction(name: string, context: ScriptContext): boolean;
  callFunction(name: string, args: readonly ScriptValue[], context: ScriptContext): Promise<ScriptValue>;
}

/** What is rendered once for each of `items`, each of them known as `dataKey` (docs/interface/pages.md 3.4). */
export interface Repeated {
  readonly items: ScriptValue;
  readonly dataKey: string;
}

/** What functions of scripts do with pages; the room of pages implements it. While a page is being rendered they write into it, and answer null; elsewhere they answer the HTML. */
export interface PageFunctions {
  /** Nodes, or one of them. */
  render(nodes: ScriptValue, context: ScriptContext): Awaitable<ScriptValue>;
  /** The one element of a name, or a file. */
  include(name: string, repeated: Repeated | undefined, context: ScriptContext): Awaitable<ScriptValue>;
  /** The one child of a name of the template that calls it. */
  includeChild(name: string, repeated: Repeated | undefined, context: ScriptContext): Awaitable<ScriptValue>;
  /** The source of an element, or its HTML as those see it who edit it. */
  source(element: ScriptEntity, mode: EditMode, context: ScriptContext): Awaitable<ScriptValue>;
  /** Another object is `current` from now on. Throws `ScriptError` outside of pages. */
  setDetails(value: ScriptValue, context: ScriptContext): void;
  /** HTML made nodes below another one, behind its last child, or in the place of `instead`. The new nodes. */
  insertHtml(
    parent: ScriptEntity,
    html: string,
    instead: ScriptEntity | undefined,
    context: ScriptContext,
  ): Promise<ScriptValue>;
  /** A child goes to the recycle bin, with what is below it. */
  removeChild(parent: ScriptEntity, child: ScriptEntity, context: ScriptContext): Promise<void>;
}

/** Where scripting finds it, once it is there. */
export interface PagesPlace {
  current: PageFunctions | undefined;
  methods: BuiltinMethods | undefined;
}

/** Methods that objects of built-in types, and these types, have from the service: called where the schema has none of the name. */
export interface BuiltinMethods {
  has(type: Type, name: string, isStatic: boolean): boolean;
  /** With the rights of the context. Throws `ScriptError` and `SchemaError`. */
  call(target: ScriptEntity | Type, name: string, args: ScriptMap, context: ScriptContext): Promise<ScriptValue>;
}

/** Runs a script that stands by itself: a source, or one in `${...}`. */
export function runText(text: string, context: ScriptContext): Promise<ScriptValue> {
  const { engine, parts } = context.run;
  const source = text.trim();
  if (source.startsWith('${')) return engine.replace(source, context, behindBlanks(text, START));
  return engine.evaluate(text, context, parts.config.get('application.scripting.js.wrapinmainfunction'));
}

export class ScriptRun {
  /** By the clock of `performance.now()`. */
  readonly begun: number;
  readonly entities: Entities;
  /** What `error()` said; not empty at the end: the transaction fails (docs/interface/script-runtime.md 3.1). */
  readonly tokens: ErrorToken[] = [];
  /** What `print()` wrote. */
  printed = '';
  locale: string;
  readonly requestStore: ScriptMap;
  /** What scripts want the answer to be like. */
  readonly response: ScriptResponse;
  readonly timers: Timers;
  /** `rollbackTransaction()` was called: the result is answered, nothing is written. */
  rolledBack = false;
  /** What functions have said of their arguments, until the place of the call is known; see `notes.ts`. */
  notes: Note[] | undefined;
  /** Of a transaction that no script began: who ends it knows nothing of scripts, so their errors are logged as they leave them. */
  isGuest = false;
  /** How many methods are inside of each other. */
  depth: number;
  /** When the outermost of them began. */
  since: number;
  /** Of its expressions; a field, as it is asked for at each function that they call. */
  pace: Pace | undefined;
  /** Values of function properties that keep theirs for the request (`isCachingEnabled`). */
  readonly functionValues = new Map<string, ScriptValue>();

  constructor(
    readonly parts: ScriptingParts,
    readonly engine: ScriptEngine,
    readonly transaction: ScriptTransaction,
    readonly options: RunOptions,
    request?: ScriptRun,
  ) {
    this.locale = request?.locale ?? options.locale;
    this.begun = request?.begun ?? performance.now();
    this.depth = request?.depth ?? 0;
    this.since = request?.since ?? this.begun;
    this.requestStore = request?.requestStore ?? new Map<string, ScriptValue>();
    this.response = request?.response ?? new ScriptResponse();
    this.timers = request?.timers ?? new Timers();
    this.entities = new Entities(this);
  }

  /** A run of the same request in another transaction: what belongs to the request, and its limits, they have in common. */
  static beside(other: ScriptRun, transaction: ScriptTransaction): ScriptRun {
    return new ScriptRun(other.parts, other.engine, transaction, other.options, other);
  }

  get schema(): Schema {
    return this.transaction.schema;
  }

  /**
   * Ends scripts that go on for ever, whatever they are made of: throws `ScriptError` 422 when more time has passed than the setting
   * `application.scripting.js.timeout.total` allows. `from`: when what is to be bounded began.
   */
  checkTime(from = this.since): void {
    const most = this.parts.config.get('application.scripting.js.timeout.total');
    if (performance.now() - from <= most) return;
    throw new ScriptError(422, `The script was ended: it took more than ${String(most)} ms.`);
  }

  /** Something in it went wrong without ending it. */
  get warned(): boolean {
    return warnings.has(this.options);
  }

  /** For what a script does wrong without failing by it. */
  warn(message: string): void {
    const count = (warnings.get(this.options) ?? 0) + 1;
    warnings.set(this.options, count);
    if (count > MOST_WARNINGS) return;
    log.warn(message);
    this.options.told?.(message);
  }
}
