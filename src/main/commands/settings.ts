/** What commands that reach a database have in common: their arguments, its settings file, and whose its folder is. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { Config, ConfigError } from '../config/index.js';

/** The command line, or what it names, makes no sense. */
export class UsageError extends Error {}

/** Options and words of a command line. Throws `UsageError`. */
export function readArguments<T extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch {
    throw new UsageError('these arguments are not understood; try --help.');
  }
}

/** The settings in a file. Throws `UsageError`. */
export async function settingsIn(confPath: string): Promise<Config> {
  // Loading would write a file that is not there.
  if (!existsSync(confPath)) throw new UsageError(`there is no settings file ${confPath}.`);
  try {
    return await Config.load({ confPath, env: process.env });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new UsageError(error.problems.map(({ message }) => message).join('; '), { cause: error });
  }
}

/** Throws `UsageError` where there is no database yet, or when files written now could not be read by the server later. */
export async function mustOwn(folder: string): Promise<void> {
  const owner = await stat(folder).then(
    ({ uid }) => uid,
    () => undefined,
  );
  if (owner === undefined) throw new UsageError(`there is no database in ${folder}.`);
  const own = process.getuid?.();
  if (own !== undefined && own !== owner)
    throw new UsageError(`${folder} belongs to the user with the number ${String(owner)}: run this as that user.`);
}
