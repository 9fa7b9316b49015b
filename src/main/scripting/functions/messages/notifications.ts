/** Events for clients that listen, and notifications of what is written (docs/interface/live.md 5, 6). */
import type { Recipients } from '../../../live/index.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { note } from '../../run/notes.js';
import type { ScriptContext } from '../../run/run.js';
import { toJsonValue } from '../../language/conversion.js';
import { textOf } from '../../language/text.js';
import { ScriptEntity, type ScriptValue } from '../../language/values.js';

const PRINCIPAL = 'Principal';

function switching(name: string, notifies: boolean, what: string): ScriptFunction {
  return {
    name,
    signature: `${name}()`,
    meaning: `${what} What counts is the last call before a transaction begins to write.`,
    example: `${name}() // `,
    max: 0,
    pure: true,
    run: (_args, context) => {
      context.run.transaction.switches.notifies = notifies;
      return null;
    },
  };
}

const sendEvent: ScriptFunction = {
  name: 'sendEvent',
  signature: 'sendEvent(type, message, recipients)',
  meaning:
    'Sends an event to the open streams of a user, of the members of a group, or of a list of those (`/svc/EventSource`). True when at least one stream of this instance got it.',
  example: "sendEvent('note', 'Hello', me) // false",
  hidden: true,
  min: 3,
  max: 3,
  run: ([type = null, message = null, recipients = null], context) => {
    const ids = principalsIn(recipients, context);
    if (type === null || ids.length === 0) return false;
    return sent(type, message, context, { ids }) > 0;
  },
};

const broadcastEvent: ScriptFunction = {
  name: 'broadcastEvent',
  signature: 'broadcastEvent(type, message [, authenticated = true [, anonymous = false]])',
  meaning:
    'Sends an event to all open streams (`/svc/EventSource`): those of users who are logged in, and of nobody where that is asked for.',
  example: "broadcastEvent('note', 'Hello', true, true) // ",
  hidden: true,
  min: 2,
  max: 4,
  run: ([type = null, message = null, authenticated = true, anonymous = false], context) => {
    if (type !== null)
      sent(type, message, context, { authenticated: authenticated !== false, anonymous: anonymous === true });
    return null;
  },
};

function sent(type: ScriptValue, message: ScriptValue, context: ScriptContext, to: Recipients): number {
  const isText = message === null || typeof message !== 'object' || message instanceof Date;
  const text = isText ? textOf(message, context) : JSON.stringify(toJsonValue(message));
  return context.run.parts.host.sendEvent(textOf(type, context), text, to);
}

/** Ids of users and groups; what is neither is noted. */
function principalsIn(recipients: ScriptValue, context: ScriptContext): string[] {
  const { schema } = context.run;
  const list = Array.isArray(recipients) ? (recipients as readonly ScriptValue[]) : [recipients];
  return list.flatMap((one) => {
    if (one instanceof ScriptEntity && schema.type(one.type)?.hasTrait(PRINCIPAL) === true) return [one.id];
    note(context, 'sendEvent() was given a recipient that is no user and no group');
    return [];
  });
}

export const notificationFunctions: FunctionCategory = {
  title: 'Notifications',
  functions: [
    switching('disableNotifications', false, 'Those who listen are not told of what the script writes from now on.'),
    switching('enableNotifications', true, 'Those who listen are told again of what the script writes.'),
    sendEvent,
    broadcastEvent,
  ],
};
