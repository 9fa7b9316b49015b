/** Properties that are read and written by scripts (docs/interface/scripting.md 6.8). */
import type { GraphEntity, GraphNode } from '../../graph/index.js';
import type {
  ComputeContext,
  Computed,
  FunctionScripts,
  ObjectTransaction,
  PropertyDefinition,
} from '../../schema/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import { fromJsonValue, hinted, toJsonValue } from '../language/conversion.js';
import type { ScriptRun, ScriptContext } from '../run/run.js';
import { failFor } from '../run/transaction/ending.js';
import { logFailure } from '../run/failed-scripts.js';
import type { Runs } from './runs.js';
import { jsonDate } from '../language/text.js';
import { ScriptEntity, type ScriptValue } from '../language/values.js';

export class FunctionProperties implements FunctionScripts {
  /** Runs of the answers that are being written: their function properties share one. */
  private readonly runs = new WeakMap<object, ScriptRun>();

  constructor(private readonly scripting: Runs) {}

  async read(
    definition: PropertyDefinition,
    trait: string,
    entity: GraphEntity,
    asked: ComputeContext,
  ): Promise<Computed> {
    const context = this.#context(definition, trait, entity, asked);
    const { run } = context;
    const cache = definition.cachingEnabled === true ? run.functionValues : undefined;
    // What one user reads is not for another whom the same run acts for (`doAs`).
    const key = `${asked.actor.id ?? ''}/${entity.id}/${definition.name}`;
    try {
      let value = cache?.get(key);
      if (value === undefined) {
        value = await this.#evaluate(definition, context);
        cache?.set(key, value);
      }
      return computed(definition, value, run);
    } catch (error) {
      return unreadable(context, error);
    }
  }

  #evaluate(definition: PropertyDefinition, context: ScriptContext): Promise<ScriptValue> {
    const source = definition.readFunction ?? definition.format ?? '';
    return this.scripting.engine.nested(context, () =>
      context.run.engine.evaluate(source, context, definition.readFunctionWrapJS !== false),
    );
  }

  async readWithin(
    definition: PropertyDefinition,
    trait: string,
    entity: GraphNode,
    objects: ObjectTransaction,
  ): Promise<Computed> {
    const run = this.scripting.runOf(objects);
    const context: ScriptContext = {
      ...this.scripting.context(run, objects, `${entity.type}[${entity.id}]:${definition.name}`),
      self: run.entities.asBefore(entity),
    };
    const said = run.tokens.length;
    try {
      return computed(definition, await this.#evaluate(definition, context), run);
    } catch (error) {
      return unreadable(context, error);
    } finally {
      // Nobody has asked for the value: what is wrong with it is not wrong with what is written.
      run.tokens.length = Math.min(run.tokens.length, said);
    }
  }

  async write(
    definition: PropertyDefinition,
    trait: string,
    entity: GraphNode,
    value: JsonValue,
    objects: ObjectTransaction,
  ): Promise<void> {
    const run = this.scripting.runOf(objects);
    const context: ScriptContext = {
      ...this.scripting.context(run, objects, `${entity.type}[${entity.id}]:${definition.name}`),
      // Another write function of the same input may have changed it since.
      self: run.entities.asBefore(entity),
      constants: new Map([['value', fromJsonValue(value)]]),
    };
    await this.scripting.engine.nested(context, () =>
      run.engine.evaluate(definition.writeFunction ?? '', context, definition.writeFunctionWrapJS !== false),
    );
    failFor(run);
  }

  /** In the run that asked, when a script did; else in one that all properties of an answer share. */
  #context(definition: PropertyDefinition, trait: string, entity: GraphEntity, asked: ComputeContext): ScriptContext {
    const { origin } = asked;
    const asking = origin as Partial<ScriptContext> | undefined;
    let run = asking?.run;
    if (run === undefined && origin !== undefined) run = this.runs.get(origin);
    if (run === undefined) {
      run = this.scripting.openForReading();
      if (origin !== undefined) this.runs.set(origin, run);
    }
    return {
      ...this.scripting.context(run, asked, `${entity.type}[${entity.id}]:${definition.name}`),
      self: run.entities.of(entity),
      constants: new Map(asked.depth === undefined ? [] : [['depth', BigInt(asked.depth)]]),
    };
  }
}

function unreadable({ title }: ScriptContext, error: unknown): Computed {
  logFailure(error, title, ' (it reads as null)');
  return { json: null };
}

/** Objects are rendered like related ones, everything else as JSON. */
function computed(definition: PropertyDefinition, value: ScriptValue, run: ScriptRun): Computed {
  if (value instanceof ScriptEntity) return { entities: [value.entity], single: true };
  if (Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof ScriptEntity)) {
    return { entities: value.map((one) => one.entity), single: false };
  }
  const result = hinted(definition.typeHint, value);
  const json = toJsonValue(result, (date) => jsonDate(date, run) ?? '');
  return result instanceof Date ? { json, date: result } : { json };
}
