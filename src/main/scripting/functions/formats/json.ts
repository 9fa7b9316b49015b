/** Values as JSON and back (docs/interface/script-runtime.md 8.5). */
import { parseJsonSync, jsonString } from '../../../../shared/json/index.js';
import { JsonOut, Renderer, type RenderOptions } from '../../../schema/index.js';
import type { ScriptContext } from '../../run/run.js';
import { fromJsonValue } from '../../language/conversion.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { fromJsonText } from '../../run/function/from-json.js';
import { jsonDate, textOf } from '../../language/text.js';
import { formsOf, isMap, ScriptEntity, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { checkLength, indexOf, isOff, misused, optionalText } from '../../run/function/arguments.js';
import { runSteps, Turns, wait, type Steps } from '../../language/steps.js';

/** Levels of lists and maps. */
const DEEPEST = 100;
/** Levels of objects of the graph. */
const DEEPEST_VIEW = 100;

/** Writes one value; objects of the graph as the view has them. */
class JsonWriting {
  readonly out: JsonOut;
  private readonly turns = new Turns('toJson()', 60_000);

  constructor(
    private readonly context: ScriptContext,
    private readonly options: Pick<RenderOptions, 'view' | 'nestingDepth' | 'serializeNulls'>,
  ) {
    this.out = new JsonOut(context.run.parts.config.get('json.indentation'));
  }

  *write(value: ScriptValue, level: number): Steps<void> {
    const { out } = this;
    if (level > DEEPEST) throw new ScriptError(422, 'toJson() was given what is nested too deeply, or holds itself.');
    checkLength(out.text.length, 'toJson');
    yield* this.turns.pause();
    if (value instanceof ScriptEntity) yield* wait(this.entity(value, level));
    else if (Array.isArray(value)) yield* this.list(value, level);
    else if (isMap(value)) yield* this.map(value, level);
    else {
      const forms = formsOf(value);
      if (forms === undefined) out.text += this.plain(value);
      else yield* this.map(forms.json(), level);
    }
  }

  private *list(list: readonly ScriptValue[], level: number): Steps<void> {
    const { out } = this;
    out.text += '[';
    let first = true;
    for (const one of list) {
      out.text += (first ? '' : ',') + out.newline(level + 1);
      yield* this.write(one, level + 1);
      first = false;
    }
    out.text += first ? ']' : `${out.newline(level)}]`;
  }

  private *map(map: ScriptMap, level: number): Steps<void> {
    const { out } = this;
    const colon = out.indent ? ': ' : ':';
    out.text += '{';
    let first = true;
    for (const [key, one] of map) {
      if (one === null && !this.options.serializeNulls) continue;
      out.text += (first ? '' : ',') + out.newline(level + 1) + jsonString(key) + colon;
      yield* this.write(one, level + 1);
      first = false;
    }
    out.text += first ? '}' : `${out.newline(level)}}`;
  }

  private async entity(one: ScriptEntity, level: number): Promise<void> {
    const { run, access, actor } = this.context;
    const { config } = run.parts;
    const entity = await run.entities.fresh(one);
    await run.transaction.read(async (tx) => {
      const renderer = new Renderer(this.out, {
        schema: run.schema,
        tx,
        access,
        actor,
        origin: this.context,
        ...this.options,
        reductionDepth: config.get('json.reductiondepth'),
        reduceRepeated: config.get('json.redundancyreduction'),
        arrayLimit: config.get('database.result.softlimit'),
      });
      if (renderer.isPlain(entity)) renderer.rootSync(entity, level);
      else await renderer.root(entity, level);
    });
  }

  private plain(value: Exclude<ScriptValue, ScriptEntity | ScriptMap | ScriptValue[]>): string {
    switch (typeof value) {
      case 'string':
        return jsonString(value);
      case 'bigint':
      case 'boolean':
        return String(value);
      case 'number':
        return Number.isFinite(value) ? String(value) : 'null';
      default:
    }
    if (value === null) return 'null';
    if (!(value instanceof Date)) return jsonString(textOf(value, this.context));
    const text = jsonDate(value, this.context.run);
    return text === null ? 'null' : jsonString(text);
  }
}

function* written(writing: JsonWriting, value: ScriptValue): Steps<string> {
  yield* writing.write(value, 0);
  checkLength(writing.out.text.length, 'toJson');
  return writing.out.text;
}

const toJson: ScriptFunction = {
  name: 'toJson',
  signature: 'toJson(value [, view = "public" [, depth = 3 [, serializeNulls = true]]])',
  meaning:
    'The value as JSON; objects as a view shows them, with related ones down to a depth. Numbers stay numbers, null gives an ' +
    'empty text.',
  example: "toJson(split('')) // []",
  min: 1,
  max: 4,
  pure: true,
  run(args, context) {
    const [value = null, view, depth = null, nulls] = args;
    if (value === null) return '';
    if (typeof value === 'number' || typeof value === 'bigint') return value;
    const levels = depth === null ? context.run.parts.config.get('jsonrestservlet.outputdepth') : indexOf(depth);
    if (levels === undefined) return misused(this, 'needs a number for the depth', context);
    const options = {
      view: optionalText(view, 'public', context),
      nestingDepth: Math.min(DEEPEST_VIEW, Math.max(0, levels)),
      serializeNulls: !isOff(nulls),
    };
    return runSteps(written(new JsonWriting(context, options), value));
  },
};

/** A value of which every part is a map, so that repeaters, `get` and `set` can work with it. */
function* graphObject(value: ScriptValue, context: ScriptContext, view: string, depth: number): Steps<ScriptValue> {
  if (value === null || isMap(value)) return value;
  if (Array.isArray(value)) {
    const result: ScriptValue[] = [];
    for (const one of value) result.push(Array.isArray(one) ? one : yield* graphObject(one, context, view, depth));
    return result;
  }
  if (!(value instanceof ScriptEntity)) return new Map([['value', value]]);
  const text = yield* written(new JsonWriting(context, { view, nestingDepth: depth, serializeNulls: true }), value);
  return fromJsonValue(parseJsonSync(text));
}

const toGraphObject: ScriptFunction = {
  name: 'toGraphObject',
  signature: 'toGraphObject(value [, view = "public" [, depth = 3]])',
  meaning:
    'Maps of what objects show in a view, for repeaters, `get` and `set`; of lists the same, single values come as maps with the ' +
    'key `value`.',
  example: "extract(toGraphObject(split('a,b')), 'value') // [a, b]",
  min: 1,
  max: 3,
  pure: true,
  run(args, context) {
    const [value = null, view, depth = null] = args;
    const levels = depth === null ? 3 : indexOf(depth);
    if (levels === undefined) return misused(this, 'needs a number for the depth', context);
    const most = Math.min(DEEPEST_VIEW, Math.max(0, levels));
    return runSteps(graphObject(value, context, optionalText(view, 'public', context), most));
  },
};

const fromJson: ScriptFunction = {
  name: 'fromJson',
  signature: 'fromJson(text)',
  meaning:
    'A map, or a list of maps; single values come as maps with the key `value`. All numbers are doubles. ' +
    'What is no JSON, and null, gives an empty text.',
  example: `fromJson('{"a": "b"}').a // b`,
  min: 1,
  max: 1,
  pure: true,
  run: ([value = null], context) => {
    const text = value === null ? '' : textOf(value, context);
    return text.trim() === '' ? '' : fromJsonText(text, context);
  },
};

export const json: FunctionCategory = { title: 'JSON', functions: [toJson, fromJson, toGraphObject] };
