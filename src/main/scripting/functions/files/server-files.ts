/** Files and programs of the server (docs/interface/script-runtime.md 8.8). */
import { logger } from '../../../../shared/log.js';
import type { GraphNode } from '../../../graph/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import type { HostCall, HostEnd, HostParameter, Programs } from '../../run/programs.js';
import { RESPONSE } from '../../run/response/response-body.js';
import { waitingSignal } from '../../run/limits/signals.js';
import { textOf } from '../../language/text.js';
import { isMap, type ScriptValue } from '../../language/values.js';
import { withinScript } from '../../run/files/within.js';
import { checkLength, indexOf, isOn } from '../../run/function/arguments.js';
import { fileIn } from './files.js';

const log = logger('scripting');
const WHERE =
  'Names are paths in the folder of the setting data.exchange.path; what leads out of it, or over a symbolic link, is refused.';

const read: ScriptFunction = {
  name: 'read',
  signature: 'read(name)',
  meaning: `The text of a file of the server, in UTF-8; the empty text when there is none. ${WHERE}`,
  example: "read('orders.csv')",
  min: 1,
  max: 1,
  pure: true,
  run: async ([name = null], context) =>
    name === null ? null : ((await context.run.parts.files.exchange.read(textOf(name, context))) ?? ''),
};

function joined(name: string, parts: readonly ScriptValue[], context: ScriptContext): string {
  let text = '';
  for (const part of parts) {
    if (part !== null) text += textOf(part, context);
    checkLength(text.length, name);
  }
  return text;
}

const write: ScriptFunction = {
  name: 'write',
  signature: 'write(name, text...)',
  meaning: `Makes a file of the server with these texts; one that is there stays as it is. ${WHERE}`,
  example: "write('orders.csv', 'id;name', '\\n')",
  min: 2,
  run: async ([name = null, ...parts], context) => {
    if (name === null) return '';
    const file = textOf(name, context);
    context.run.transaction.reachesOut('a file of the server (write)');
    if (!(await context.run.parts.files.exchange.write(file, joined('write', parts, context)))) {
      log.warn(`${context.title}: write() leaves ${JSON.stringify(file)}, which is there, as it is`);
    }
    return '';
  },
};

const append: ScriptFunction = {
  name: 'append',
  signature: 'append(name, text...)',
  meaning: `Adds these texts to the end of a file of the server, which is made when there is none. ${WHERE}`,
  example: "append('orders.csv', '1;Anna', '\\n')",
  min: 2,
  run: async ([name = null, ...parts], context) => {
    if (name === null) return '';
    context.run.transaction.reachesOut('a file of the server (append)');
    await context.run.parts.files.exchange.append(textOf(name, context), joined('append', parts, context));
    return '';
  },
};

const PROGRAM =
  'The key is the name of a setting of svc.conf whose value is the path of an executable in the folder of scripts.path. Parameters ' +
  'are texts, or objects such as {value: "secret", mask: true}, which are not shown in the log. logBehaviour says what is logged: 0 ' +
  'nothing, 1 the path, 2 path and parameters; else the setting log.scriptprocess.commandline does. No shell sees any of it.';

function parameterOf(one: ScriptValue, context: ScriptContext): HostParameter {
  if (!isMap(one)) return { value: one === null ? '' : textOf(one, context), masked: false };
  const value = one.get('value') ?? null;
  return { value: value === null ? '' : textOf(value, context), masked: isOn(one.get('mask')) };
}

/** A list of parameters and how they are logged, or, as of old, parameters one after the other. */
function callOf([key = null, ...rest]: readonly ScriptValue[], signal: AbortSignal, context: ScriptContext): HostCall {
  const [list = null, behaviour = null] = rest;
  context.run.transaction.reachesOut('a program of the server');
  const isList = Array.isArray(list);
  const logging = indexOf(isList || list === null ? behaviour : null);
  if (logging !== undefined && (logging < 0 || logging > 2)) {
    throw new ScriptError(422, 'logBehaviour of a program is 0, 1 or 2.');
  }
  return {
    key: key === null ? '' : textOf(key, context),
    parameters: (isList ? list : list === null ? [] : rest).map((one) => parameterOf(one, context)),
    logging: logging ?? context.run.parts.config.get('log.scriptprocess.commandline'),
    signal,
  };
}

const exec: ScriptFunction = {
  name: 'exec',
  signature: 'exec(key [, parameters [, logBehaviour]])',
  meaning: `Runs a program of the server and answers what it writes, as text in UTF-8. ${PROGRAM}`,
  example: "{ $.exec('backup.script', ['daily', { value: 'secret', mask: true }], 1) }",
  min: 1,
  run: async (args, context) => {
    const { programs } = context.run.parts;
    const { signal, stop } = waitingSignal(context.run);
    try {
      const pieces: Buffer[] = [];
      let size = 0;
      for await (const piece of programs.output(callOf(args, signal, context), () => undefined)) {
        size += piece.length;
        if (size > programs.most) {
          throw new ScriptError(422, 'The program of exec() writes more than the setting scripts.maxoutput allows.');
        }
        pieces.push(piece);
      }
      return Buffer.concat(pieces).toString('utf8');
    } finally {
      stop();
    }
  },
};

/** What a program writes. Throws `ScriptError` 422 behind it when the program fails. */
async function* unlessFailing(programs: Programs, call: HostCall): AsyncGenerator<Buffer, void> {
  let how: HostEnd | undefined;
  yield* programs.output(call, (end) => (how = end));
  if (how?.code === 0) return;
  const code = String(how?.code ?? how?.killedBy);
  throw new ScriptError(422, `The program of the setting ${call.key} ended with ${code}.`);
}

async function intoResponse(args: readonly ScriptValue[], context: ScriptContext): Promise<void> {
  const { response, parts } = context.run;
  if (response.body === undefined) {
    throw new ScriptError(
      422,
      'execBinary() writes into the answer of methods that are called over REST and have returnRawResult set to true.',
    );
  }
  const { signal, stop } = waitingSignal(context.run);
  try {
    const bytes = unlessFailing(parts.programs, callOf(args, signal, context));
    await response.body.add(bytes, parts.config.get('uploadservlet.maxfilesize'));
  } finally {
    stop();
  }
}

const execBinary: ScriptFunction = {
  name: 'execBinary',
  signature: 'execBinary(target, key [, parameters [, logBehaviour]])',
  meaning:
    'Runs a program of the server. What it writes becomes the content of a File, unless it fails; or the answer to the request, when ' +
    'the target is `response`: in methods that are called over REST and have returnRawResult set to true. Its type is what ' +
    `setResponseHeader() says, or application/octet-stream; several calls add to each other. ${PROGRAM}`,
  example: "{ $.execBinary($.this, 'render.script', ['chart']) }",
  min: 2,
  run: async ([target = null, ...args], context) => {
    if (target === RESPONSE) {
      await intoResponse(args, context);
      return null;
    }
    if (target === null && context.run.options.request === undefined) {
      throw new ScriptError(
        422,
        'execBinary() needs a file: there is no response where scripts run without a request.',
      );
    }
    const file = fileIn(target, 'execBinary', context);
    const { files, programs } = context.run.parts;
    const node = (await context.run.entities.fresh(file)) as GraphNode;
    await withinScript(context, async (within) => {
      const bytes = unlessFailing(programs, callOf(args, within.signal, context));
      await files.methods.setBytes(within, node, bytes);
    });
    return null;
  },
};

export const serverFileFunctions: FunctionCategory = {
  title: 'Files',
  functions: [read, write, append, exec, execBinary],
};
