/** Which objects an event is about (docs/interface/pages.md 7.3). */
import { fixedText } from '../../pages/index.js';
import { ScriptEntity, scriptValue, type ScriptValue } from '../../scripting/index.js';
import { RestError } from '../errors.js';
import type { SentEvent } from './sent-event.js';

/** Objects that one event may be about. */
const MOST = 1000;
/** Shorter texts are no ids. */
const SHORTEST_ID = 32;
/** A keyword, and properties of what it stands for: nothing that calls something. */
const NAME = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/** What the request says of a key, unless the mapping says it by itself; then that counts. Throws `RestError` 422 for a request that says something else. */
export function said({ mapping, control }: SentEvent, key: string, ...names: readonly string[]): string | undefined {
  const sent = names.map((name) => control.get(name)).find((one) => one !== undefined);
  const fixed = fixedText(mapping, key);
  if (fixed !== undefined && sent !== undefined && sent !== fixed) {
    throw new RestError(422, `The event action mapping says ${fixed}, and the request ${sent.slice(0, 200)}.`);
  }
  return fixed ?? sent;
}

/** Whether the mapping says a key by itself. */
export function isFixed({ mapping }: SentEvent, key: string): boolean {
  return fixedText(mapping, key) !== undefined;
}

/**
 * What the request names, and not the mapping, needs the permission that it needs over REST: nobody who made the page has said that its visitors
 * may do that. Throws `AccessError`.
 */
export async function mustBePermitted({ request }: SentEvent, signature: string): Promise<void> {
  const { actor, exchange, services } = request;
  await services.security.resourceAccess.check(actor, signature, 'POST', exchange.path);
}

/** Ids of all targets, each once. Throws `RestError` 422 when there is none. */
export async function targetsOf(event: SentEvent): Promise<readonly string[]> {
  const action = String(event.mapping.properties['action']);
  const text = said(event, 'idExpression', 'svcIdExpression', 'svcTarget');
  if (text === undefined) {
    throw new RestError(422, `Cannot execute the action ${action} without a target (data-svc-id-expression).`);
  }
  const ids = isList(event, text) ? split(text) : await evaluated(event, text);
  if (ids.length === 0) throw new RestError(422, `Cannot execute the action ${action}: ${text} stands for no object.`);
  if (ids.length > MOST) throw new RestError(422, `An event is about ${String(MOST)} objects at most.`);
  return [...new Set(ids)];
}

/** Whether the text is a list of ids. */
export function isList({ request }: SentEvent, text: string): boolean {
  return text.length >= SHORTEST_ID && split(text).every((id) => request.settings.write.idPattern.test(id));
}

function split(text: string): readonly string[] {
  return text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}

/** What a keyword stands for. Scripts that the mapping itself has are its author's; of a request names alone are looked up. */
async function evaluated(event: SentEvent, text: string): Promise<readonly string[]> {
  const { request, mapping, element } = event;
  const isOwn = text === fixedText(mapping, 'idExpression');
  if (!isOwn && !NAME.test(text)) {
    throw new RestError(422, `The target ${text.slice(0, 200)} is neither a list of ids nor the name of an object.`);
  }
  const title = `Event of ${element.type} ${element.id}`;
  return request.services.scripting.inTransaction(title, request, async (context) => {
    const value = await scriptValue(text, { ...context, self: context.run.entities.of(element) });
    return idsIn(value).filter((id) => request.settings.write.idPattern.test(id));
  });
}

function idsIn(value: ScriptValue): readonly string[] {
  if (value instanceof ScriptEntity) return [value.id];
  if (typeof value === 'string') return split(value);
  return Array.isArray(value) ? value.flatMap(idsIn) : [];
}
