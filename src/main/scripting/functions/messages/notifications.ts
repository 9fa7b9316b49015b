/** Notifications of browsers (docs/interface/scripting.md 10.5). */
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';

function switching(name: string, what: string): ScriptFunction {
  return {
    name,
    signature: `${name}()`,
    meaning: `${what} This version sends none yet, so that it changes nothing: scripts that call it run as they are.`,
    example: `${name}() // `,
    max: 0,
    pure: true,
    run: () => null,
  };
}

export const notificationFunctions: FunctionCategory = {
  title: 'Notifications',
  functions: [
    switching('disableNotifications', 'Browsers are no longer notified of what the script writes.'),
    switching('enableNotifications', 'Browsers are notified again of what the script writes.'),
  ],
};
