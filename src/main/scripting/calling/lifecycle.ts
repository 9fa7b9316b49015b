/** Methods of users that run when objects are created, changed and deleted (docs/interface/scripting.md 6.5). */
import type { Change, GraphEntity, GraphNode } from '../../graph/index.js';
import {
  storedValue,
  type Lifecycle,
  type MethodDefinition,
  type ObjectTransaction,
  type Schema,
  type Type,
} from '../../schema/index.js';
import { fromStored } from '../language/conversion.js';
import { ScriptError } from '../language/errors.js';
import { isModified, modificationMap, modificationsOf, type Modification, type OwnChanges } from './modifications.js';
import { failFor } from '../run/transaction/ending.js';
import { logFailure } from '../run/failed-scripts.js';
import { titleOf } from '../run/methods.js';
import { placed } from '../language/place.js';
import type { Runs } from './runs.js';
import type { Caller } from '../run/caller.js';
import type { ScriptContext } from '../run/run.js';
import type { ScriptEntity, ScriptMap, ScriptValue } from '../language/values.js';

/** Recognised by the beginning of the name; the second words are old names for the same. */
const EVENTS = {
  onNodeCreation: /^onNodeCreation/,
  onCreate: /^on(Create|Creation)/,
  onSave: /^on(Save|Modification)/,
  onDelete: /^onDelete/,
  afterCreate: /^after(Create|Creation)/,
  afterSave: /^after(Save|Modification)/,
  afterDelete: /^afterDelete/,
} as const;
type Event = keyof typeof EVENTS;
/** Those that run in the transaction that sets them off. */
const BEFORE = /^on[A-Z]/;

/** Rounds in which methods may change what other methods look at. */
const MOST_ROUNDS = 100;
/** What methods set off may grow with each round: so many calls of others, and so many for each that began it. */
const MOST_CAUSED = 10_000;
const MOST_CAUSED_EACH = 10;

type ByType = Map<string, Map<Event, readonly MethodDefinition[]>>;

interface OfSchema {
  /** Any type has such methods. */
  readonly any: boolean;
  readonly byType: ByType;
  /** Answers of `runsFor`. */
  readonly running: Map<string, boolean>;
}

export class LifecycleMethods implements Lifecycle {
  private readonly bySchema = new WeakMap<Schema, OfSchema>();

  constructor(private readonly scripting: Runs) {}

  active(schema: Schema): boolean {
    return this.#of(schema).any;
  }

  runsFor(schema: Schema, name: string): boolean {
    const { any, running } = this.#of(schema);
    let known = running.get(name);
    if (known === undefined) {
      const type = schema.type(name);
      known = type !== undefined && ((any && hasMethodsBefore(schema, type)) || hasWriteFunctions(type));
      running.set(name, known);
    }
    return known;
  }

  reachedOut(objects: ObjectTransaction): string | undefined {
    return this.scripting.runIn(objects)?.transaction.outside;
  }

  #of(schema: Schema): OfSchema {
    let known = this.bySchema.get(schema);
    if (known === undefined) {
      const methods = [...schema.methods.values()].flatMap((own) => [...own.values()]);
      known = { any: methods.some((method) => method.isLifecycle), byType: new Map(), running: new Map() };
      this.bySchema.set(schema, known);
    }
    return known;
  }

  /** Those of all traits run, base first: a subtype's does not replace what it inherits. */
  #methods(schema: Schema, entity: GraphEntity, event: Event): readonly MethodDefinition[] {
    const { byType } = this.#of(schema);
    let events = byType.get(entity.type);
    if (events === undefined) byType.set(entity.type, (events = new Map<Event, readonly MethodDefinition[]>()));
    let methods = events.get(event);
    if (methods === undefined) {
      methods = schema
        .typeOf(entity)
        .traits.flatMap((trait) => [...(schema.methods.get(trait)?.values() ?? [])])
        .filter((method) => method.isLifecycle && EVENTS[event].test(method.name));
      events.set(event, methods);
    }
    return methods;
  }

  async nodeCreated(node: GraphNode, objects: ObjectTransaction): Promise<void> {
    const methods = this.#methods(objects.schema, node, 'onNodeCreation');
    if (methods.length === 0) return;
    const context = this.#inside(objects);
    await this.#run(methods, context.run.entities.of(node), new Map(), context);
    failFor(context.run);
  }

  async beforeCommit(objects: ObjectTransaction): Promise<void> {
    const { tx, schema, settled } = objects;
    /** Objects that are new in this transaction: whatever else happens to them, they were created. */
    const created = new Set<string>();
    let seen = 0;
    let calls = 0;
    let most = Infinity;
    /** What methods of one object wrote. */
    let own: OwnChanges[] = [];
    /** What has run in the last round. */
    let ran = new Set<string>();
    let last = '';
    for (let round = 0; tx.changes().length > seen; round++) {
      if (round === MOST_ROUNDS) {
        const message = `${[...ran].join(', ')} still changes objects after ${String(MOST_ROUNDS)} rounds; the last one was ${last}.`;
        throw this.#endless(message, ran, objects);
      }
      const running = new Set<string>();
      if (round === 1) most = calls * (1 + MOST_CAUSED_EACH) + MOST_CAUSED;
      const modifications = modificationsOf(tx.changes(), { from: seen, without: settled, own });
      seen = tx.changes().length;
      own = [];
      for (const one of modifications) {
        const event = eventOf(one, created);
        if (event === undefined) continue;
        const entity = one.entity ?? (await tx.node(one.id));
        if (entity === undefined) continue;
        const methods = this.#methods(schema, entity, event);
        if (methods.length === 0) continue;
        last = methods.map(({ name }) => `${entity.type}.${name}`).join(', ');
        if (++calls > most) {
          const all = [...ran, ...running].join(', ');
          const message = `${all} sets off more and more others, as ${last} does; none of it is written.`;
          throw this.#endless(message, running, objects);
        }
        for (const method of methods) running.add(titleOf(method));
        const context = this.#inside(objects.writerOf(one.id));
        const begin = tx.changes().length;
        const { entities } = context.run;
        // Methods may have changed it since the change that counts.
        const self = round === 0 ? entities.of(entity) : entities.asBefore(entity);
        await this.#run(methods, self, this.#parameters(event, one, entity, schema), context);
        failFor(context.run);
        // What a method does to its own object does not set it off again, whatever else it does.
        own.push({ id: one.id, begin, end: tx.changes().length });
      }
      ran = running;
    }
  }

  /** Methods that would go on for ever: no line of them is to blame. */
  #endless(message: string, titles: ReadonlySet<string>, objects: ObjectTransaction): ScriptError {
    const [title = 'lifecycle'] = titles;
    const error = placed(new ScriptError(422, message), { title });
    if (this.scripting.runIn(objects)?.isGuest === true) logFailure(error, title);
    return error;
  }

  async afterCommit(changes: readonly Change[], objects: ObjectTransaction): Promise<void> {
    const { schema } = objects;
    const work: [Event, Modification, GraphEntity, readonly MethodDefinition[]][] = [];
    for (const one of modificationsOf(changes)) {
      const event = eventOf(one, new Set());
      if (event === undefined || one.entity === undefined) continue;
      const after = event.replace(/^on/, 'after') as Event;
      const methods = this.#methods(schema, one.entity, after);
      if (methods.length > 0) work.push([after, one, one.entity, methods]);
    }
    for (const [event, one, entity, methods] of work) {
      const title = `${entity.type}[${entity.id}]:${event}`;
      await this.scripting.inBackground(
        title,
        objects.writerOf(entity.id),
        async (context) => {
          const deleted = event === 'afterDelete';
          const constants: [string, ScriptValue][] = deleted ? [['data', publicView(entity, schema)]] : [];
          const within: ScriptContext = { ...context, constants: new Map(constants) };
          // Others may have changed it since: it is read again.
          const self = deleted ? null : context.run.entities.asBefore(entity);
          await this.#run(methods, self, this.#parameters(event, one, entity, schema), within);
        },
        true,
      );
    }
  }

  #parameters(event: Event, one: Modification, entity: GraphEntity, schema: Schema): ScriptMap {
    if (!event.endsWith('Save')) return new Map();
    return new Map([['modifications', modificationMap(one, schema.typeOf(entity), schema)]]);
  }

  #inside(objects: ObjectTransaction & Caller): ScriptContext {
    return this.scripting.context(this.scripting.runOf(objects), objects, 'lifecycle');
  }

  async #run(
    methods: readonly MethodDefinition[],
    self: ScriptEntity | null,
    parameters: ScriptMap,
    context: ScriptContext,
  ): Promise<void> {
    const wrapped = this.scripting.parts.config.get('application.scripting.js.wrapinmainfunction');
    const options = { wrapped, constants: context.constants };
    for (const method of methods) await this.scripting.engine.run(method, self, parameters, context, options);
  }
}

function hasMethodsBefore(schema: Schema, { traits }: Type): boolean {
  return traits.some((trait) =>
    [...(schema.methods.get(trait)?.values() ?? [])].some(({ isLifecycle, name }) => isLifecycle && BEFORE.test(name)),
  );
}

/** Whether writing an object runs scripts of its properties. */
function hasWriteFunctions({ properties, indexedFunctions }: Type): boolean {
  if (indexedFunctions.length > 0) return true;
  return [...properties.values()].some(
    ({ kind, definition }) => kind === 'computed' && (definition.writeFunction ?? '') !== '',
  );
}

function eventOf(one: Modification, created: Set<string>): Event | undefined {
  if (one.created && one.deleted) return undefined;
  if (one.created) {
    created.add(one.id);
    return 'onCreate';
  }
  if (created.has(one.id)) return undefined;
  if (one.deleted) return 'onDelete';
  return isModified(one) ? 'onSave' : undefined;
}

/** A deleted object as its public view showed it, as far as it was stored with it. */
function publicView(entity: GraphEntity, schema: Schema): ScriptMap {
  const type = schema.typeOf(entity);
  const map: ScriptMap = new Map<string, ScriptValue>([
    ['id', entity.id],
    ['type', entity.type],
  ]);
  for (const property of type.views.get('public')?.properties ?? []) {
    if (property.kind === 'value' && !map.has(property.name)) {
      map.set(property.name, fromStored(property, storedValue(entity, property.key)));
    }
  }
  return map;
}
