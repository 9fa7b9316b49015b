/** Events of the analytics log (docs/interface/analytics.md 9). */
import { EVENT_WRITER, LOG_EVENT } from '../../../analytics/index.js';
import { privileged } from '../../run/context.js';
import { misused } from '../../run/function/arguments.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { ScriptError } from '../../language/errors.js';
import { textOf } from '../../language/text.js';
import { isMap, ScriptEntity, type ScriptValue } from '../../language/values.js';

const FIELDS = ['action', 'message', 'subject', 'object'] as const;

const logEvent: ScriptFunction = {
  name: 'logEvent',
  signature: 'logEvent(action, message [, subject [, object]])',
  meaning:
    'Writes an event of the analytics log and answers it. It belongs to nobody, and only administrators may read it. An object as subject or ' +
    'object is its id. JavaScript may give one object with the keys action, message, subject and object.',
  example: "logEvent('VIEW', 'a product', me, 'p1')",
  min: 1,
  max: 4,
  async run(args, context) {
    const [first = null] = args;
    const values = isMap(first) && args.length === 1 ? first : new Map(FIELDS.map((key, i) => [key, args[i] ?? null]));
    if (values !== first && (args.length < 2 || args.includes(null))) {
      return misused(this, 'needs an action and a message', context);
    }
    const event: [string, ScriptValue][] = [['timestamp', new Date()]];
    for (const [key, value] of values) {
      if (!(FIELDS as readonly string[]).includes(key)) {
        throw new ScriptError(422, `logEvent() does not know the key ${key}: an event has ${FIELDS.join(', ')}.`);
      }
      if (value !== null) event.push([key, value instanceof ScriptEntity ? value.id : textOf(value, context)]);
    }
    const type = context.run.schema.type(LOG_EVENT);
    if (type === undefined) throw new ScriptError(422, 'The schema has no type LogEvent.');
    return context.run.entities.createFrom(type, event, { ...privileged(context), actor: EVENT_WRITER });
  },
};

export const eventFunctions: FunctionCategory = { title: 'The analytics log', functions: [logEvent] };
