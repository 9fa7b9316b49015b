/** What scripts turn off for bulk work, labels, and raw results of the database (docs/interface/script-runtime.md 1.4, 8.6). */
import type { WriteSwitches } from '../../../schema/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { isMap, ScriptEntity, type ScriptValue } from '../../language/values.js';
import { misused } from '../../run/function/arguments.js';
import { entityIn } from '../../run/function/pairs.js';

/** A function without arguments that changes what is checked by writes of this run. */
function switching(name: string, meaning: string, change: (switches: WriteSwitches) => void): ScriptFunction {
  return {
    name,
    signature: `${name}()`,
    meaning,
    example: `${name}() // `,
    max: 0,
    run: (_args, { run }) => {
      change(run.transaction.switches);
      return null;
    },
  };
}

function unlocking(name: string, meaning: string, system: boolean, key: string): ScriptFunction {
  return {
    name,
    signature: `${name}(object)`,
    meaning,
    example: `(${name}(this), set(this, '${key}', now))`,
    min: 1,
    max: 1,
    run: ([object], { run }) => {
      run.transaction.switches.unlock(entityIn(object, `The argument of ${name}()`).id, system);
      return null;
    },
  };
}

const LONGEST_LABEL = 200;
const MOST_LABELS = 100;

function labelling(name: string, meaning: string, adds: boolean): ScriptFunction {
  return {
    name,
    signature: `${name}(node, list)`,
    meaning,
    example: `${name}(this, merge('Archived'))`,
    min: 2,
    max: 2,
    async run([node, list = null], context) {
      const one = entityIn(node, `The first argument of ${name}()`);
      if (!Array.isArray(list) || one.entity.kind !== 'node') return misused(this, 'needs a node and a list', context);
      const labels = labelsIn(list, context);
      const { tx } = await writableNode(one, context);
      if (tx.setLabels === undefined) {
        throw new ScriptError(422, `${name}() needs a database that has labels (database.driver = neo4j).`);
      }
      await tx.setLabels(one.id, adds ? labels : [], adds ? [] : labels);
      return null;
    },
  };
}

/** Labels that are neither the engine's own nor names of types: what a node is, is said by its type alone. */
function labelsIn(list: readonly ScriptValue[], { run }: ScriptContext): string[] {
  if (list.length > MOST_LABELS)
    throw new ScriptError(422, `A node gets ${String(MOST_LABELS)} labels at a time at most.`);
  return list.map((label) => {
    if (typeof label !== 'string' || label === '' || label.length > LONGEST_LABEL || /\p{Cc}/u.test(label)) {
      throw new ScriptError(422, `A label is a text of at most ${String(LONGEST_LABEL)} characters.`);
    }
    if (label.startsWith('_svc_') || label === 'NodeInterface' || run.schema.type(label) !== undefined) {
      throw new ScriptError(422, `The label ${label} belongs to a type: objects get it by their type and its traits.`);
    }
    return label;
  });
}

/** The transaction that a node may be changed in. Throws what says that it may not. */
async function writableNode(
  one: ScriptEntity,
  { run, actor, access }: ScriptContext,
): Promise<{ readonly tx: Awaited<ReturnType<typeof run.transaction.objects>>['tx'] }> {
  const objects = await run.transaction.objects(actor, access);
  const node = await objects.tx.node(one.id);
  if (node === undefined) throw new ScriptError(404, `${one.type} ${one.id} is deleted.`);
  if (!(await objects.may('write', node))) throw objects.notPermitted(node);
  return objects;
}

const instantiate: ScriptFunction = {
  name: 'instantiate',
  signature: 'instantiate(raw)',
  meaning:
    'The object that a node of the database stands for: a map with its `id`, as statements in Cypher answer them, its UUID, or the ' +
    'object itself. Null when there is none that the user may read.',
  example: 'get(instantiate(me.id), "name") // admin',
  min: 1,
  max: 1,
  run: async ([raw = null], context) => {
    if (raw instanceof ScriptEntity) return raw;
    const id = isMap(raw) ? raw.get('id') : raw;
    return typeof id === 'string' ? ((await context.run.entities.byId(id, undefined, context)) ?? null) : null;
  },
};

/** Nothing has to be fetched ahead here: related objects of a list are read together, and lists are kept by the engine. */
function prefetching(name: string, signature: string, min: number, max: number): ScriptFunction {
  return {
    name,
    signature,
    meaning:
      'For scripts of other servers: has no visible effect in the interface, and none here. The query is not run; related objects of ' +
      'a list are read together anyway.',
    example: `${name}('MATCH (n:Project)-[r:TASK]-(t) RETURN n, r, t', ${min > 2 ? "merge('tasks'), merge('project')" : "merge('tasks')"}) // `,
    min,
    max,
    pure: true,
    run(args, context) {
      const [query, ...keys] = args;
      const isRight = typeof query === 'string' && keys.slice(0, min - 1).every((one) => Array.isArray(one));
      return isRight ? null : misused(this, 'needs a query and lists of keys', context);
    },
  };
}

export const databaseFunctions: FunctionCategory = {
  title: 'Database',
  functions: [
    switching(
      'disableCascadingDelete',
      'What this script deletes from now on takes nothing else along, whatever relationships say.',
      (switches) => {
        switches.cascades = false;
      },
    ),
    switching('enableCascadingDelete', 'Relationships take along what they say again.', (switches) => {
      switches.cascades = true;
    }),
    switching(
      'disableUuidValidation',
      'New objects of this script may have ids of another format: letters, digits and `_ . ~ : -`, at most 100. For what is written ' +
        'with the rights of an administrator (`doPrivileged`); others need ids of the format of the settings as ever. An id that is ' +
        'taken is refused in any case.',
      (switches) => {
        switches.checksIds = false;
      },
    ),
    switching(
      'disablePreventDuplicateRelationships',
      'This script may link two objects several times by a relationship type that is to-many on both sides.',
      (switches) => {
        switches.refusesDuplicates = false;
      },
    ),
    unlocking(
      'unlockReadonlyPropertiesOnce',
      'The next write of the object in this script may change read-only properties that the application declares. Built-in ones ' +
        '(`isAdmin`, `isTemplate`, ...), and those of users, groups and objects that decide about rights, stay with administrators, ' +
        'who may write them anyway.',
      false,
      'closedAt',
    ),
    unlocking(
      'unlockSystemPropertiesOnce',
      'The next write of the object in this script may change read-only properties as `unlockReadonlyPropertiesOnce` says, and with ' +
        'the rights of an administrator (`doPrivileged`, `setPrivileged`) `createdDate`, `createdBy`, `lastModifiedDate` and ' +
        '`lastModifiedBy` too. No other property of the service can be unlocked.',
      true,
      'createdDate',
    ),
    labelling(
      'addLabels',
      'Adds labels for other clients of the database (Neo4j) to a node that the user may write. Names of types are refused: what a ' +
        'node is here is said by its type and traits alone, which give it their labels; so labels change no result of `find`.',
      true,
    ),
    labelling('removeLabels', 'Takes labels away that `addLabels` added; those of types are refused.', false),
    instantiate,
    prefetching('prefetch', 'prefetch(query, keys)', 2, 2),
    prefetching('prefetch2', 'prefetch2(query, outgoingKeys, incomingKeys [, id])', 3, 4),
  ],
};
