/** The scripting room's door: methods over REST, lifecycle methods, function properties. */
import type { GraphNode } from '../../graph/index.js';
import type { EvaluatedTemplate, TemplateReader } from '../../files/index.js';
import type { Lifecycle, MethodDefinition } from '../../schema/index.js';
import type { Caller } from '../run/caller.js';
import { Callbacks } from './callbacks.js';
import { repeating } from '../run/transaction/ending.js';
import { isJavaScript } from './engine.js';
import { javaScriptOf } from './languages.js';
import { ScriptsOfImports } from './import-scripts.js';
import { logMistake } from '../run/failed-scripts.js';
import { FunctionProperties } from './function-properties.js';
import type { RunningScript } from '../engines/javascript/isolates/isolates.js';
import { localizationsOf } from '../functions/text/localizations.js';
import { LifecycleMethods } from './lifecycle.js';
import { scriptTitle, titleOf } from '../run/methods.js';
import { placeOf } from '../language/place.js';
import { scriptRequest } from '../run/names/request-objects.js';
import { type RunOptions, type ScriptRun, type ScriptContext } from '../run/run.js';
import type { ScriptMap, ScriptValue } from '../language/values.js';

import { logger } from '../../../shared/log.js';
import { Runs, type GivenParts } from './runs.js';

const log = logger('scripting');

/** Logs what a script did wrong, for work whose caller only answers it. What failed outside of scripts, its commit for example, is his. */
async function telling<T>(work: Promise<T>, title: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (placeOf(error) !== undefined) logMistake(error, title);
    throw error;
  }
}

export class Scripting extends Runs {
  readonly lifecycle: Lifecycle;
  readonly functions: FunctionProperties;
  /** What the rooms to the right call when something has happened. */
  readonly callbacks = new Callbacks(this);
  readonly imports = new ScriptsOfImports(this);

  constructor(parts: GivenParts) {
    super(parts);
    // From the start: what is committed here, other instances have to hear of.
    localizationsOf(this.parts);
    this.lifecycle = new LifecycleMethods(this);
    this.functions = new FunctionProperties(this);
  }

  /** Ends all JavaScript that still runs; what it has not committed is taken back. */
  stop(): Promise<void> {
    return javaScriptOf(this.parts.config).close();
  }

  /** JavaScript that runs now; expressions run on the loop, within their limit of time. */
  running(): readonly RunningScript[] {
    return javaScriptOf(this.parts.config).isolates.running();
  }

  /** Ends a run of JavaScript, which fails then; false: there is none of this number. `by`: for the log. */
  end(id: number, by: string): boolean {
    const script = this.running().find((one) => one.id === id);
    if (script === undefined || !javaScriptOf(this.parts.config).isolates.kill(id)) return false;
    log.warn(`${by} has ended the script ${script.title}`);
    return true;
  }

  /** Scripts of a run follow each other until the answer is called: they share a context (docs/interface/scripting.md 3.2). */
  linger(run: ScriptRun): () => void {
    return javaScriptOf(this.parts.config).linger(run);
  }

  /**
   * Calls a method for a request, once for each of what `given` gives, in one transaction: it is committed when all of them
   * answered. What its scripts wrote into the answer is to be released. Throws `ScriptError` and what the rules of the schema say.
   */
  async call(
    method: MethodDefinition,
    self: GraphNode | undefined,
    given: () => readonly ScriptMap[],
    caller: Caller,
    options: RunOptions,
  ): Promise<{ readonly values: readonly ScriptValue[]; readonly run: ScriptRun }> {
    const working = repeating({
      // Mails and headers that are being written belong to the options.
      begin: (locking) => this.open({ ...options }, { locking, reason: titleOf(method), actor: caller.actor }),
      isOver: () => options.request?.exchange.aborted === true,
      work: async (run) => {
        if (method.returnRawResult && options.request !== undefined) run.response.takeBody();
        const context = this.context(run, caller, method.name);
        const entity = self === undefined ? null : run.entities.asBefore(self);
        const values: ScriptValue[] = [];
        // Scripts may change what they are given.
        for (const one of given()) {
          run.checkTime(run.begun);
          const value = await this.engine.run(method, entity, one, context);
          // JavaScript that answers nothing answers the empty text (docs/interface/scripting.md 4.5).
          values.push(value === null && isJavaScript(method.source.trim()) ? '' : value);
        }
        return { values, run };
      },
    });
    return telling(working, scriptTitle(method, self ?? null));
  }

  /** The text of a file whose content is evaluated when it is read (docs/interface/scripting.md 7.2). Throws what its scripts throw. */
  async evaluateTemplate(file: GraphNode, source: string, reader: TemplateReader): Promise<EvaluatedTemplate> {
    const { exchange, form, origin } = reader;
    // Its own transaction would wait for the one of the script that reads it, and a template that reads itself never end.
    const asking = (origin as Partial<ScriptContext> | undefined)?.run;
    const title = String(file.properties['path'] ?? file.properties['name'] ?? file.id);
    const evaluate = async (run: ScriptRun): Promise<EvaluatedTemplate> => {
      const context: ScriptContext = {
        ...this.context(run, reader, title),
        self: run === asking ? run.entities.of(file) : run.entities.asBefore(file),
      };
      const text = await this.engine.nested(context, () => this.engine.replace(source, context));
      return {
        text,
        applyTo: (answer) => {
          run.response.applyTo(answer);
        },
      };
    };
    if (asking !== undefined) return evaluate(asking);
    const options = {
      locale: this.locale,
      ...(exchange === undefined ? {} : { request: scriptRequest(exchange, form) }),
    };
    const working = repeating({
      begin: (locking) => this.open({ ...options }, { locking, reason: 'template', actor: reader.actor }),
      isOver: () => exchange?.aborted === true,
      work: evaluate,
    });
    return telling(working, title);
  }
}
