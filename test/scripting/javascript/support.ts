/** A run without a server: objects in memory whose reads and writes are recorded. */
import { afterAll, onTestFinished } from 'vitest';
import { getCurrentTest } from 'vitest/suite';
import type { Config } from '../../../src/main/config/index.js';
import type { GraphNode } from '../../../src/main/graph/index.js';
import { WriteSwitches } from '../../../src/main/schema/index.js';
import { JavaScript, type JavaScriptOptions } from '../../../src/main/scripting/engines/javascript/javascript.js';
import { callableNamed } from '../../../src/main/scripting/functions/coming.js';
import { functionNames } from '../../../src/main/scripting/functions/table.js';
import { runAside } from '../../../src/main/scripting/run/transaction/aside.js';
import type { ScriptEngine, ScriptRun, ScriptContext } from '../../../src/main/scripting/run/run.js';
import type { Caller } from '../../../src/main/scripting/run/caller.js';
import { Stores } from '../../../src/main/scripting/run/stores/stores.js';
import { ScriptEntity, type ScriptValue } from '../../../src/main/scripting/language/values.js';

export const LIMITS: Record<string, number> = {
  'application.scripting.js.memory': 64,
  'application.scripting.js.timeout.cpu': 5000,
  'application.scripting.js.timeout.total': 20_000,
  'application.scripting.js.isolates': 4,
  'application.scripting.js.computing': 4,
  'application.scripting.js.queue.length': 1000,
  'application.scripting.js.queue.timeout': 30_000,
};

export interface World {
  readonly js: JavaScript;
  readonly context: ScriptContext;
  /** What was asked and written, in order. */
  readonly calls: string[];
  run(source: string, options?: Partial<JavaScriptOptions>): Promise<ScriptValue>;
  object(values: Readonly<Record<string, ScriptValue>>, type?: string): ScriptEntity;
  valuesOf(one: ScriptEntity): Map<string, ScriptValue>;
}

export interface WorldOptions {
  readonly limits?: Readonly<Record<string, number | boolean>>;
  readonly functions?: Readonly<
    Record<string, (args: readonly ScriptValue[], context: ScriptContext) => Promise<ScriptValue>>
  >;
  readonly methods?: Readonly<
    Record<string, (self: ScriptEntity | null, args: readonly ScriptValue[]) => Promise<ScriptValue>>
  >;
  readonly constants?: readonly (readonly [string, ScriptValue])[];
  readonly js?: JavaScript;
  /** Id of who runs the scripts. */
  readonly user?: string;
}

/** Properties of every type here; the first four are plain values. */
const PLAIN: Readonly<Record<string, string>> = { name: 'String', count: 'Integer', date: 'Date', tags: 'String[]' };
const RELATED = ['tasks', 'owner'];

export function world(options: WorldOptions = {}): World {
  const limits = { ...LIMITS, ...options.limits };
  const config = { get: (name: string) => limits[name] } as unknown as Config;
  const js = options.js ?? begin(config);
  const calls: string[] = [];
  const values = new Map<ScriptEntity, Map<string, ScriptValue>>();
  const properties = new Map<string, unknown>([
    ...Object.entries(PLAIN).map(
      ([key, propertyType]) =>
        [key, { kind: 'value', key, definition: { propertyType }, name: key, toJson: () => 'null' }] as const,
    ),
    ...RELATED.map((key) => [key, { kind: 'relation', name: key }] as const),
  ]);
  const type = { name: 'Project', properties, traits: ['Project'], acceptsUnknownKeys: false, hasTrait: () => true };
  const own = new Map([['close', { name: 'close', isPrivate: false, isStatic: false, isLifecycle: false }]]);
  const schema = {
    version: 1,
    type: (name: string) => (name === 'Project' ? type : undefined),
    methods: new Map([['Project', own]]),
    typeOf: () => type,
  };
  const transaction = {
    changes: 0,
    writes: false,
    holds: false,
    ways: { quietly: false },
    switches: new WriteSwitches(),
    refuseReading: () => undefined,
    reachesOut: () => undefined,
    allow: () => undefined,
  };
  const engine: Partial<ScriptEngine> = {
    nested: (_, work) => work(),
    hasFunction: (name) => options.functions?.[name] !== undefined,
    callFunction: async (name, args, context) => {
      calls.push(`function ${name}`);
      return (await options.functions?.[name]?.(args, context)) ?? null;
    },
    hasMethod: (target, name) =>
      (target instanceof ScriptEntity ? options.methods?.[name] : options.methods?.[`static ${name}`]) !== undefined,
    callMethod: async (target, name, args) => {
      calls.push(`method ${name}`);
      const self = target instanceof ScriptEntity ? target : null;
      return (await options.methods?.[self === null ? `static ${name}` : name]?.(self, args)) ?? null;
    },
  };
  const entities = {
    expire: () => undefined,
    typeOf: () => type,
    property: (_: ScriptEntity, key: string) => properties.get(key),
    fresh: (one: ScriptEntity) => {
      calls.push(`load ${one.id}`);
      one.asOf = transaction.changes;
      return one.entity;
    },
    get: (one: ScriptEntity, key: string) => {
      calls.push(`get ${one.id}.${key}`);
      return properties.has(key) ? (values.get(one)?.get(key) ?? null) : undefined;
    },
    set: async (one: ScriptEntity, list: readonly (readonly [string, ScriptValue])[]) => {
      for (const [key, value] of list) {
        calls.push(`set ${one.id}.${key}`);
        values.get(one)?.set(key, value);
        store(one, key, value);
        transaction.changes++;
      }
    },
  };
  const store = (one: ScriptEntity, key: string, value: ScriptValue): void => {
    const stored = value instanceof Date ? value.getTime() : typeof value === 'bigint' ? Number(value) : value;
    const { [key]: _, ...others } = one.entity.properties;
    const next = { ...others, ...(stored === null || RELATED.includes(key) ? {} : { [key]: stored }) };
    one.entity = { ...one.entity, properties: next } as typeof one.entity;
  };
  const run = {
    parts: {
      config,
      stores: new Stores(),
      aside: (outer: ScriptRun, caller: Caller, work: (inner: ScriptRun) => Promise<unknown>) =>
        runAside(outer, caller, new WeakMap(), work),
    },
    engine,
    transaction,
    entities,
    schema,
    options: { locale: 'en_US' },
    locale: 'en_US',
    requestStore: new Map<string, ScriptValue>(),
    tokens: [],
    printed: '',
    warn: () => undefined,
  } as unknown as ScriptRun;
  const context = {
    run,
    actor: { id: options.user, name: options.user ?? 'anonymous' },
    access: { rule: () => undefined },
    self: null,
    parameters: null,
    constants: new Map(options.constants ?? []),
    title: 'test',
  } as unknown as ScriptContext;
  let made = 0;
  return {
    js,
    context,
    calls,
    run: (source, given) => js.run(source, context, { wrapped: false, ...given }),
    object: (given, typeName = 'Project') => {
      const id = `id${String(made++)}`;
      const entity = { kind: 'node', id, type: typeName, properties: {} } as unknown as GraphNode;
      const one = new ScriptEntity(entity, 0);
      values.set(one, new Map(Object.entries(given)));
      for (const [key, value] of Object.entries(given)) store(one, key, value);
      return one;
    },
    valuesOf: (one) => values.get(one) ?? new Map<string, ScriptValue>(),
  };
}

/** Its isolates end with the test, or with the file where no test runs yet: they take memory and address space. */
function begin(config: Config): JavaScript {
  const js = new JavaScript(config, callableNamed, functionNames);
  if (getCurrentTest() === undefined) afterAll(() => js.close());
  else onTestFinished(() => js.close());
  return js;
}
