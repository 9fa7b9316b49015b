/** Scripts of an export that run before and after its import (docs/interface/deployment.md 3.5). */
import { ALLOW_ALL, SYSTEM } from '../../schema/index.js';
import { detailOf, scriptInfo, type ScriptContext } from '../../scripting/index.js';
import type { DeploymentContext } from '../common/context.js';
import type { Report } from '../common/report.js';
import type { ExportSource } from './source.js';
import type { ExportTarget } from './target.js';

/** Runs a script of an export as a transaction of its own, with the rights of the service. One that fails is a warning. */
export async function runScript(
  { scripting }: DeploymentContext,
  source: ExportSource,
  file: string,
  report: Report,
): Promise<void> {
  const text = (await source.text(file))?.trim();
  if (text === undefined || text === '') return;
  report.begin(file);
  try {
    const evaluate = async (context: ScriptContext): Promise<void> => {
      if (text.startsWith('$')) {
        report.warn('Deprecation Notice', `${file}: scripts are written without \${ } around them.`);
        await context.run.engine.replace(text, context);
      } else await context.run.engine.evaluate(text, context, false);
    };
    await scripting.inTransaction(file, { actor: SYSTEM, access: ALLOW_ALL }, evaluate, { door: 'deployment' });
  } catch (error) {
    report.warn(`${file} has failed`, messageOf(error));
  }
}

/** What went wrong, of a script with its place. */
export function messageOf(error: unknown): string {
  const info = scriptInfo(error);
  if (info !== undefined) return `${info.message} (line ${String(info.row)}, column ${String(info.column)})`;
  return detailOf(error);
}

const EMPTY = (when: string): string => `{

\t// This script runs ${when} the import. It should be written so that it can be run any number of times.

}
`;

/** Makes the two scripts where they are missing; what is there stays. */
export async function writeEmptyScripts(out: ExportTarget, before: string, after: string): Promise<void> {
  if ((await out.there(before)) === undefined) await out.text(before, EMPTY('before'));
  if ((await out.there(after)) === undefined) await out.text(after, EMPTY('after'));
}
