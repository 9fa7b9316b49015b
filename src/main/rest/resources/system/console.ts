/** `/_console`: administrators run a line, or a method, and are told all that came of it (docs/interface/script-runtime.md 10.1). */
import type { GraphNode } from '../../../graph/index.js';
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { localeOf } from '../../../request/index.js';
import type { MethodDefinition, Schema } from '../../../schema/index.js';
import {
  CONSOLE_LANGUAGES,
  fromJsonValue,
  runLine,
  scriptInfo,
  scriptRequest,
  sourceProblem,
  titleOfMethod,
  type RunOptions,
  type ScriptMap,
  type ScriptRun,
  type ScriptValue,
} from '../../../scripting/index.js';
import { sendValue } from '../../answer/envelope.js';
import { sendScriptValue } from '../../answer/script-results.js';
import type { Resolver, RestRequest } from '../../context.js';
import { describeError, RestError } from '../../errors.js';
import { read } from '../../read.js';
import { findEntity } from '../objects/entity.js';

/** Lines of the log in an answer, and their characters. */
const MOST_LINES = 1000;
const MOST_CHARACTERS = 1024 * 1024;
const BODY_LIMIT = 1024 * 1024;

export const resolveConsole: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== '_console') return undefined;
  return { signature: '_console', allow: ['OPTIONS', 'POST'], verbs: { POST: answer }, bodyLimit: BODY_LIMIT };
};

interface Ran {
  readonly value: ScriptValue;
  readonly run: ScriptRun;
}

async function answer(request: RestRequest): Promise<void> {
  const { actor, body } = request;
  // A permission for the endpoint alone is not enough: a line does whatever its user may, and tells of sources.
  if (!actor.isAdmin) throw new RestError(403, 'Only administrators may use the console.');
  const [input] = body.objects;
  if (body.isArray || input === undefined) throw new RestError(400, 'A line of the console is one JSON object.');
  if (input['check'] !== undefined) {
    await sendValue(request, { problem: await problemIn(request.schema, input) }, 1);
    return;
  }
  const log = new Lines();
  const work = await workOf(request, input, log);
  const began = performance.now();
  let ran: Ran;
  try {
    ran = await work();
  } catch (error) {
    const told = toldOf(error);
    if (told === undefined) throw error;
    const result = { value: null, log: [...log.lines], milliseconds: performance.now() - began, error: told };
    await sendValue(request, result, 1);
    return;
  }
  const result: ScriptMap = new Map<string, ScriptValue>([
    ['value', ran.value],
    ['log', [...log.lines]],
    ['milliseconds', performance.now() - began],
  ]);
  try {
    await sendScriptValue(request, result, ran.run);
  } finally {
    await ran.run.response.body?.release();
  }
}

/** What is to be run. Throws `RestError` for what cannot be. */
async function workOf(request: RestRequest, input: JsonObject, log: Lines): Promise<() => Promise<Ran>> {
  const { exchange, parameters, services } = request;
  const { scripting, security } = services;
  const options: RunOptions = {
    request: scriptRequest(exchange),
    locale: localeOf(request, security, parameters.text('locale'), scripting.locale),
    told: (line) => {
      log.add(line);
    },
  };
  const { mode, line, method: id } = input;
  if (id !== undefined) {
    const method = typeof id === 'string' ? methodById(request.schema, id) : undefined;
    if (method === undefined) throw new RestError(404, 'There is no method with this UUID.', [invalid('method')]);
    const self = await selfOf(request, method, input['object']);
    const args = argumentsIn(input['arguments']);
    // What its script would send in the place of a value has no place here.
    const plain = { ...method, returnRawResult: false };
    return async () => {
      const { values, run } = await scripting.call(
        plain,
        self,
        () => [fromJsonValue(args) as ScriptMap],
        request,
        options,
      );
      return { value: values[0] ?? null, run };
    };
  }
  const language = CONSOLE_LANGUAGES.find((one) => one === mode);
  if (language === undefined)
    throw new RestError(422, `mode must be one of ${CONSOLE_LANGUAGES.join(', ')}.`, [invalid('mode')]);
  if (typeof line !== 'string' || line.trim() === '')
    throw new RestError(422, 'line must be a text.', [invalid('line')]);
  return () => runLine(scripting, { language, text: line }, request, options);
}

/** Whether a source can be read, without running it. `wrapped`: as a method that is not one of a life cycle. */
async function problemIn(schema: Schema, { check, wrapped = true }: JsonObject): Promise<JsonObject | null> {
  if (typeof check !== 'string') throw new RestError(422, 'check must be a text.', [invalid('check')]);
  const problem = await sourceProblem(check, wrapped !== false, (name) => schema.functions.has(name));
  return problem === undefined ? null : { ...problem };
}

const invalid = (property: string) => ({ property, token: 'invalid' });

function methodById(schema: Schema, id: string): MethodDefinition | undefined {
  for (const method of schema.functions.values()) if (method.id === id) return method;
  for (const methods of schema.methods.values()) {
    for (const method of methods.values()) if (method.id === id) return method;
  }
  return undefined;
}

async function selfOf(
  request: RestRequest,
  method: MethodDefinition,
  id: JsonValue | undefined,
): Promise<GraphNode | undefined> {
  if (method.owner === undefined || method.isStatic) return undefined;
  if (typeof id !== 'string' || id === '')
    throw new RestError(422, `${titleOfMethod(method)} runs on an object: object must be its UUID.`, [
      invalid('object'),
    ]);
  const type = request.schema.type(method.owner);
  const found = await read(request, (tx) => findEntity(request, tx, type, id));
  if (found.kind !== 'node') throw new RestError(404, `No ${method.owner} with UUID ${id} found.`);
  return found;
}

function argumentsIn(given: JsonValue | undefined): JsonObject {
  if (given === undefined || given === null) return Object.create(null) as JsonObject;
  if (typeof given !== 'object' || Array.isArray(given))
    throw new RestError(422, 'arguments must be one JSON object.', [invalid('arguments')]);
  return given;
}

/** What a line did wrong; undefined: it is the server that failed, or is too busy. */
function toldOf(error: unknown): JsonObject | undefined {
  const { status, message, tokens } = describeError(error);
  if (status >= 500 && status !== 501) return undefined;
  const script = scriptInfo(error);
  const errors = JSON.parse(
    JSON.stringify(tokens, (_, v: unknown) => (typeof v === 'bigint' ? v.toString() : v)),
  ) as JsonValue;
  return { status, message, errors, ...(script === undefined ? {} : { script: { ...script } }) };
}

/** The lines of one run, as many as an answer has room for. */
class Lines {
  readonly lines: string[] = [];
  private characters = 0;

  add(line: string): void {
    if (this.lines.length >= MOST_LINES || this.characters >= MOST_CHARACTERS) return;
    const text = line.slice(0, MOST_CHARACTERS - this.characters);
    this.characters += text.length;
    this.lines.push(text);
    if (this.lines.length === MOST_LINES || this.characters >= MOST_CHARACTERS) this.lines.push('…');
  }
}
