/** Scripts that come with imports: `transforms` of cells, and `onFinish` (docs/interface/imports.md 3.1). */
import { FilesError, type ImportScripts, type Rights, type TransformedCell } from '../../files/index.js';
import { HttpError } from '../../http/index.js';
import { AccessError } from '../../security/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { withConstants } from '../run/context.js';
import { fromJsonValue, toJsonValue } from '../language/conversion.js';
import { isJavaScript } from './engine.js';
import { ScriptError } from '../language/errors.js';
import { jobFailure } from '../run/failed-scripts.js';
import { expressions } from './languages.js';
import { unreadableAt } from '../engines/javascript/javascript.js';
import { runText, type ScriptContext } from '../run/run.js';
import type { Runs } from './runs.js';
import type { ScriptValue } from '../language/values.js';

export class ScriptsOfImports implements ImportScripts {
  constructor(private readonly scripting: Runs) {}

  async problemIn(source: string): Promise<string | undefined> {
    const { config, schemas } = this.scripting.parts;
    const text = source.trim();
    // A template may hold anything around its scripts.
    if (text.startsWith('${')) return undefined;
    if (!isJavaScript(text)) return expressions.problemIn(text, (name) => schemas.schema.functions.has(name))?.message;
    const at = await unreadableAt(text, config.get('application.scripting.js.wrapinmainfunction'));
    return at === undefined ? undefined : `line ${String(at.line)}, column ${String(at.column)}`;
  }

  async transform(
    title: string,
    cells: readonly TransformedCell[],
    rights: Rights,
    signal: AbortSignal,
  ): Promise<readonly JsonValue[]> {
    return this.run(title, rights, signal, async (context) => {
      const results: JsonValue[] = [];
      for (const { source, input } of cells) {
        results.push(toJsonValue(await runText(source, withConstants(context, [['input', input]]))));
      }
      return results;
    });
  }

  async finish(title: string, source: string, info: JsonObject, rights: Rights, signal: AbortSignal): Promise<void> {
    const constants: [string, ScriptValue][] = [['jobInfo', fromJsonValue(info)]];
    await this.run(title, rights, signal, (context) => runText(source, withConstants(context, constants)));
  }

  private async run<T>(
    title: string,
    rights: Rights,
    signal: AbortSignal,
    work: (context: ScriptContext) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.scripting.inTransaction(
        title,
        rights,
        (context) => context.run.engine.nested(context, () => work(context)),
        { signal, door: 'import' },
      );
    } catch (error) {
      throw signal.aborted ? error : told(error, title);
    }
  }
}

/** What a script did wrong, for those who look at the job; what the service could not do ends the job in its own words. */
function told(error: unknown, title: string): unknown {
  const isAnswer = [ScriptError, FilesError, HttpError, AccessError].some((kind) => error instanceof kind);
  if (!isAnswer) return error;
  const { status, message } = error as ScriptError | FilesError | HttpError | AccessError;
  return status >= 500 ? new FilesError(status, message) : jobFailure(error, title);
}
