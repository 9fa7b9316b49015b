/** The log of the server, for its administrators' scripts (docs/interface/script-runtime.md 8.11, docs/interface/operations.md 8.2). */
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { lastLines, serverLogs } from '../../outside/programs/server-logs.js';
import { checkLength, indexOf, optionalText } from '../../run/function/arguments.js';

const LINES = 50;

/** Lines tell of other users' requests. */
function checkRights({ actor }: ScriptContext, name: string): void {
  if (!actor.isAdmin) throw new ScriptError(403, `${name}() is for administrators.`);
}

const serverlog: ScriptFunction = {
  name: 'serverlog',
  signature: 'serverlog([lines [, truncateAfter [, file]]])',
  meaning:
    'The last lines of the log, 50 when nothing is said, oldest first, each with a line end; lines of more than truncateAfter characters ' +
    'are cut, and end in [...]. `file` is one of getAvailableServerlogs(), else the first of them. The empty text when there is none: ' +
    'the log is in a file where the environment variable LOG_FILE names one. For administrators.',
  example: 'serverlog(100, 200)',
  max: 3,
  run: async ([lines, cut, file], context) => {
    checkRights(context, 'serverlog');
    const named = optionalText(file, '', context);
    const logs = await serverLogs(context.run.parts.config);
    const path = logs.includes(named) ? named : logs[0];
    if (path === undefined) return '';
    const longest = indexOf(cut) ?? -1;
    let text = '';
    for (const line of await lastLines(path, indexOf(lines) ?? LINES)) {
      text += longest >= 0 && line.length > longest ? `${line.slice(0, longest)}[...]\n` : `${line}\n`;
    }
    checkLength(text.length, 'serverlog');
    return text;
  },
};

const getAvailableServerlogs: ScriptFunction = {
  name: 'getAvailableServerlogs',
  signature: 'getAvailableServerlogs()',
  meaning: 'Paths of the files that the log is in, sorted; null when there are none. For administrators.',
  example: 'getAvailableServerlogs()',
  max: 0,
  run: async (_args, context) => {
    checkRights(context, 'getAvailableServerlogs');
    const logs = await serverLogs(context.run.parts.config);
    return logs.length === 0 ? null : logs;
  },
};

export const serverLog: FunctionCategory = {
  title: 'The log of the server',
  functions: [serverlog, getAvailableServerlogs],
};
