/** `POST /DOMElement/<id>/event`: does what the action mapping of an element says (docs/interface/pages.md 7.3). */
import type { JsonObject } from '../../../shared/json/index.js';
import { ACTIONS, eventInput, mappingOf, parameterNames, type Action } from '../../pages/index.js';
import { allowed, type Type } from '../../schema/index.js';
import { sendValue } from '../answer/envelope.js';
import type { Resolver, RestRequest } from '../context.js';
import { RestError } from '../errors.js';
import { read } from '../read.js';
import { findEntity } from '../resources/objects/entity.js';
import { login, logout } from '../resources/users/login.js';
import { register, resetPassword } from '../resources/users/registration.js';
import { call } from './call.js';
import { insertHtml, replaceHtml } from './markup.js';
import type { SentEvent } from './sent-event.js';
import { appendChild, createObject, deleteTargets, removeChild, updateTargets } from './objects.js';

/** Bytes of what a page sends; files go another way. */
const BODY_LIMIT = 1024 * 1024;

export const resolveEvent: Resolver = (segments, schema, settings) => {
  const [name = '', id = '', word] = segments;
  if (segments.length !== 3 || word !== 'event' || !settings.write.idPattern.test(id)) return undefined;
  const type = schema.type(name);
  if (type?.hasTrait('DOMElement') !== true) return undefined;
  return {
    signature: `${name}/_id/event`,
    allow: ['OPTIONS', 'POST'],
    bodyLimit: BODY_LIMIT,
    verbs: { POST: (request) => happen(request, type, id) },
  };
};

async function happen(request: RestRequest, type: Type, id: string): Promise<void> {
  const { body } = request;
  if (body.isArray || body.value === null) throw new RestError(422, 'An event is sent as one JSON object.');
  const event = await read(request, async (tx): Promise<SentEvent> => {
    const element = await findEntity(request, tx, type, id);
    const mapping = element.kind === 'node' ? await mappingOf(tx, request.schema, element) : undefined;
    // What the caller may not see is not there for him.
    if (element.kind !== 'node' || mapping === undefined || !(await allowed(tx, request.access, 'read', mapping))) {
      throw new RestError(422, `No event action mapping found for ${element.type} ${id}.`);
    }
    const sent = body.objects[0] ?? (Object.create(null) as JsonObject);
    return { request, element, mapping, ...eventInput(sent, await parameterNames(tx, mapping.id)) };
  });
  await act(event);
}

function act(event: SentEvent): Promise<void> {
  const { request, mapping, data } = event;
  const named = String(mapping.properties['action'] ?? '').trim();
  const action: Action = ACTIONS.find((one) => one === named) ?? (named === '' ? 'none' : 'method');
  switch (action) {
    case 'none':
    case 'pagination':
    case 'prev-page':
    case 'next-page':
    case 'first-page':
    case 'last-page':
      return sendValue(request, {}, 1);
    case 'create':
      return createObject(event);
    case 'update':
      return updateTargets(event);
    case 'delete':
      return deleteTargets(event);
    case 'append-child':
      return appendChild(event);
    case 'remove-child':
      return removeChild(event);
    case 'method':
      return call(event, named === action ? undefined : named);
    case 'sign-in':
      return login(request, data);
    case 'sign-out':
      return logout(request);
    case 'sign-up':
      return register(request, data);
    case 'reset-password':
      return resetPassword(request, data);
    case 'insert-html':
      return insertHtml(event);
    case 'replace-html':
      return replaceHtml(event);
    case 'flow':
      throw new RestError(501, 'Not part of this version: flows, and so the action flow.');
  }
}
