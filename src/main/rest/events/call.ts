/** Actions of events that call methods and user-defined functions (docs/interface/pages.md 7.3). */
import type { GraphNode } from '../../graph/index.js';
import { localeOf } from '../../request/index.js';
import type { MethodDefinition, Type } from '../../schema/index.js';
import { fromJsonValue, methodOf, scriptRequest, type ScriptMap } from '../../scripting/index.js';
import { sendScriptResult } from '../answer/script-results.js';
import { RestError } from '../errors.js';
import { parametersOf } from '../methods/method.js';
import { builtinMethod } from '../methods/table.js';
import { read } from '../read.js';
import { findEntity } from '../resources/objects/entity.js';
import { sendResult } from '../resources/methods/builtin-method.js';
import type { SentEvent } from './sent-event.js';
import { isFixed, isList, mustBePermitted, said, targetsOf } from './targets.js';

/** Calls what the mapping, or where it leaves that to the page the request, names. `action`: of mappings whose action is the name. */
export async function call(event: SentEvent, action?: string): Promise<void> {
  const { request } = event;
  const name = said(event, 'method', 'svcMethod') ?? action;
  if (name === undefined) throw new RestError(422, 'Cannot execute the action method without the name of a method.');
  const target = said(event, 'idExpression', 'svcIdExpression', 'svcTarget');
  const isOpen = action === undefined && !isFixed(event, 'method');
  if (target === undefined) {
    if (isOpen) await mustBePermitted(event, name);
    return callFunction(event, name);
  }
  const type = isList(event, target) ? undefined : request.schema.type(target);
  if (type !== undefined) {
    if (isOpen || !isFixed(event, 'idExpression')) await mustBePermitted(event, `${type.name}/${name}`);
    return callOnType(event, type, name);
  }
  const ids = await targetsOf(event);
  const [id] = ids;
  if (id === undefined || ids.length > 1) throw new RestError(422, `The method ${name} is called on one object.`);
  const found = await read(request, (tx) => findEntity(request, tx, undefined, id));
  if (found.kind !== 'node') throw new RestError(422, `The target ${id} has no methods.`);
  if (isOpen) await mustBePermitted(event, `${found.type}/_id/${name}`);
  return callOnObject(event, found, name);
}

function callFunction(event: SentEvent, name: string): Promise<void> {
  const method = event.request.schema.functions.get(name);
  if (method === undefined || method.isPrivate) throw new RestError(422, `Unknown user-defined function ${name}.`);
  return run(event, method);
}

async function callOnType(event: SentEvent, type: Type, name: string): Promise<void> {
  const { request } = event;
  const method = methodOf(request.schema, type, name);
  if (method === undefined) {
    const builtin = builtinMethod(type, name, true);
    if (builtin?.isStatic === true) {
      const own = withData(event);
      return sendResult(own, await builtin.run(own, parametersOf(builtin, own)));
    }
  }
  if (method === undefined || method.isPrivate || !method.isStatic) {
    throw new RestError(422, `${type.name} has no static method ${name}.`);
  }
  return run(event, method);
}

async function callOnObject(event: SentEvent, node: GraphNode, name: string): Promise<void> {
  const type = event.request.schema.typeOf(node);
  const method = methodOf(event.request.schema, type, name);
  if (method === undefined) {
    const builtin = builtinMethod(type, name, false);
    if (builtin !== undefined && builtin.isStatic !== true) {
      const own = withData(event);
      return sendResult(own, await builtin.run(own, node, parametersOf(builtin, own)));
    }
  }
  if (method === undefined || method.isPrivate) throw new RestError(422, `${type.name} has no method ${name}.`);
  return run(event, method, method.isStatic ? undefined : node);
}

/** The request as it would be if its body held the values alone. */
function withData({ request, data }: SentEvent): SentEvent['request'] {
  return { ...request, body: { isArray: false, objects: [data], value: data } };
}

async function run({ request, data }: SentEvent, method: MethodDefinition, self?: GraphNode): Promise<void> {
  const { services, exchange, parameters } = request;
  const args = (): readonly ScriptMap[] => [fromJsonValue(data) as ScriptMap];
  const { values, run: ran } = await services.scripting.call(method, self, args, request, {
    request: scriptRequest(exchange),
    locale: localeOf(request, services.security, parameters.text('locale'), services.scripting.locale),
  });
  await sendScriptResult(request, values[0] ?? null, ran, method.returnRawResult);
}
