/** User, password and database name of a Neo4j: options, environment, settings file, in this order. */
import { existsSync, readFileSync } from 'node:fs';
import { Config, ConfigError, describeSetting, findSettingName, fromEnvironmentName } from '../config/index.js';
import { CopyError } from './errors.js';
import type { CopyArguments } from './arguments.js';
import type { Access } from './places.js';

const SETTINGS = {
  user: 'database.connection.username',
  password: 'database.connection.password',
  database: 'database.connection.databasename',
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws `CopyError`. */
export async function accessOf(given: CopyArguments, env: Environment): Promise<Access> {
  const config = given.conf === undefined ? undefined : await load(given.conf, env);
  const value = (name: keyof typeof SETTINGS): string =>
    config?.get(SETTINGS[name]) ??
    fromEnvironment(SETTINGS[name], env) ??
    String(describeSetting(SETTINGS[name]).default);
  return {
    user: given.user ?? value('user'),
    password: given.passwordFile === undefined ? value('password') : passwordIn(given.passwordFile),
    database: given.database ?? value('database'),
  };
}

async function load(confPath: string, env: Environment): Promise<Config> {
  // Loading would write a file that is not there.
  if (!existsSync(confPath)) throw new CopyError('usage', `There is no settings file ${confPath}.`);
  try {
    return await Config.load({ confPath, env });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new CopyError('usage', error.problems.map((problem) => problem.message).join('; '), { cause: error });
  }
}

/** As the server reads it: empty variables count as not set. */
function fromEnvironment(name: string, env: Environment): string | undefined {
  for (const [variable, text] of Object.entries(env)) {
    const setting = fromEnvironmentName(variable);
    if (setting !== undefined && text !== undefined && text !== '' && findSettingName(setting) === name) return text;
  }
  return undefined;
}

function passwordIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new CopyError('usage', `The password file ${path} cannot be read.`, { cause: error });
  }
}
