/** Contexts of scripts for tests: over a real graph, schema and settings; only what runs other scripts is made up. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Config, type SettingValues } from '../../src/main/config/index.js';
import { openSqliteGraph, type Graph } from '../../src/main/graph/index.js';
import type { Exchange } from '../../src/main/http/index.js';
import { ALLOW_ALL, SchemaService, SYSTEM, type WriteOptions } from '../../src/main/schema/index.js';
import { Security } from '../../src/main/security/index.js';
import { EncryptionKeys } from '../../src/main/scripting/run/keys.js';
import {
  ScriptRun,
  type ScriptEngine,
  type ScriptingParts,
  type ScriptRequest,
  type ScriptContext,
} from '../../src/main/scripting/run/run.js';
import { Stores } from '../../src/main/scripting/run/stores/stores.js';
import { javaScriptOf } from '../../src/main/scripting/calling/languages.js';
import { ScriptThreads } from '../../src/main/scripting/run/limits/threads.js';
import { ScriptTransaction } from '../../src/main/scripting/run/transaction/transaction.js';
import { ScriptEntity, type Awaitable, type ScriptValue } from '../../src/main/scripting/language/values.js';
import type { JsonObject } from '../../src/shared/json/index.js';
import { setLogSink } from '../../src/shared/log.js';

export type Body = (
  args: readonly ScriptValue[],
  context: ScriptContext,
  target: ScriptEntity | string,
) => Awaitable<ScriptValue>;

/** An engine whose methods (`Type.name`), functions and JavaScript are given. */
export class FakeEngine implements ScriptEngine {
  readonly methods = new Map<string, Body>();
  readonly functions = new Map<string, Body>();
  javascript: (source: string, context: ScriptContext, wrapped: boolean) => Promise<ScriptValue> = () =>
    Promise.resolve(null);

  evaluate(source: string, context: ScriptContext, wrapped: boolean): Promise<ScriptValue> {
    return this.javascript(source, context, wrapped);
  }
  replace(): Promise<string> {
    throw new Error('not asked for');
  }
  hold(): () => void {
    return () => undefined;
  }
  hasMethod(target: ScriptEntity | { readonly name: string }, name: string): boolean {
    return this.methods.has(key(target, name));
  }
  async callMethod(
    target: ScriptEntity | { readonly name: string },
    name: string,
    args: readonly ScriptValue[],
    context: ScriptContext,
  ): Promise<ScriptValue> {
    const method = this.methods.get(key(target, name));
    if (method === undefined) throw new Error(`no method ${key(target, name)}`);
    return method(args, context, target instanceof ScriptEntity ? target : target.name);
  }
  nested<T>(_context: ScriptContext, work: () => Promise<T>): Promise<T> {
    return work();
  }
  hasFunction(name: string): boolean {
    return this.functions.has(name);
  }
  async callFunction(name: string, args: readonly ScriptValue[], context: ScriptContext): Promise<ScriptValue> {
    return (await this.functions.get(name)?.(args, context, name)) ?? null;
  }
}

/** Static methods are those of `Type.static`. */
function key(target: ScriptEntity | { readonly name: string }, name: string): string {
  return target instanceof ScriptEntity ? `${target.type}.${name}` : `${target.name}.static.${name}`;
}

export interface ContextOptions extends Partial<Omit<ScriptContext, 'run' | 'constants'>> {
  readonly constants?: Readonly<Record<string, ScriptValue>>;
  readonly request?: ScriptRequest;
  readonly locale?: string;
  readonly signal?: AbortSignal;
}

export class ScriptWorld {
  readonly engine = new FakeEngine();
  readonly lines: string[] = [];

  private constructor(
    readonly folder: string,
    readonly graph: Graph,
    readonly parts: ScriptingParts,
    private readonly sink: ReturnType<typeof setLogSink>,
  ) {}

  static async open(settings: Partial<SettingValues> = {}): Promise<ScriptWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    const lines: string[] = [];
    const sink = setLogSink((line) => lines.push(line));
    const config = Config.of(settings, folder);
    const write = (): WriteOptions => ({
      door: 'rest',
      unknownKeys: 'ignore',
      idPattern: /^[0-9a-f]{32}$/,
      compactIds: true,
      emailPattern: new RegExp(config.get('application.email.validation.regex')),
    });
    const graph = await openSqliteGraph({ path: folder });
    const schemas = await SchemaService.start(graph, {
      dateFormat: config.get('dateproperty.defaultformat'),
      zonedDateTimeFormat: config.get('zoneddatetimeproperty.defaultformat'),
      timeZone: 'UTC',
      encryptionSecret: '',
      lenientJson: false,
    });
    const security = await Security.start({ config, graph, schemas, write });
    // Nothing here reads or writes content.
    const keys = new EncryptionKeys(config);
    const threads = new ScriptThreads(config);
    const parts = {
      config,
      graph,
      schemas,
      security,
      write,
      stores: new Stores(),
      keys,
      threads,
    } as unknown as ScriptingParts;
    const world = new ScriptWorld(folder, graph, parts, sink);
    setLogSink((line) => world.lines.push(line));
    return world;
  }

  async close(): Promise<void> {
    setLogSink(this.sink);
    await javaScriptOf(this.parts.config).close();
    await this.graph.close();
    await rm(this.folder, { recursive: true });
  }

  /** A context of a run of its own. */
  context({ constants = {}, request, locale = 'en_US', signal, ...rest }: ContextOptions = {}): ScriptContext {
    const run = new ScriptRun(this.parts, this.engine, ScriptTransaction.open(this.parts), { request, locale, signal });
    return {
      run,
      actor: SYSTEM,
      access: ALLOW_ALL,
      self: null,
      parameters: null,
      constants: new Map(Object.entries(constants)),
      title: 'test',
      ...rest,
    };
  }

  /** Stores an object; of a type that the schema has. */
  async create(typeName: string, input: JsonObject): Promise<string> {
    const { schemas, write } = this.parts;
    return schemas.write(SYSTEM, ALLOW_ALL, write(), async (objects) => {
      const type = objects.schema.type(typeName);
      if (type === undefined) throw new Error(`no type ${typeName}`);
      return (await objects.create(type, input)).id;
    });
  }

  /** An object as a script holds it. */
  async entity(id: string, { run }: ScriptContext): Promise<ScriptEntity> {
    const node = await this.graph.read((tx) => tx.node(id));
    if (node === undefined) throw new Error(`no object ${id}`);
    return run.entities.of(node);
  }
}

/** A GET request as far as scripts look at it. */
export function requestOf(
  exchange: Partial<Exchange> & { readonly headers?: Readonly<Record<string, string>> } = {},
  parameters: Readonly<Record<string, string | readonly string[]>> = {},
): ScriptRequest {
  const { headers = {}, ...rest } = exchange;
  return {
    exchange: {
      method: 'GET',
      path: '/',
      query: '',
      remoteAddress: '192.0.2.7',
      address: '192.0.2.7',
      localAddress: () => Promise.resolve('192.0.2.1'),
      scheme: 'http',
      secure: false,
      status: 200,
      header: (name: string) => headers[name] ?? '',
      cookie: (name: string) => new RegExp(`(?:^|; )${name}=([^;]*)`).exec(headers['cookie'] ?? '')?.[1],
      ...rest,
    } as unknown as Exchange,
    parameters: new Map(Object.entries(parameters)),
  };
}
