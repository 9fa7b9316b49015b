/** Settings as the Configuration Interface shows them, and how it changes them (docs/interface/operations.md 1.6). */
import type { JsonObject, JsonValue } from '../../shared/json/index.js';
import {
  describeSetting,
  findSettingName,
  isSecretSetting,
  settingNames,
  type Config,
  type SettingName,
} from '../config/index.js';
import { ConfigurationError, needsPassword } from './errors.js';
import type { ConfigSessions } from './sessions.js';

/** The names of values that were there when the process began: what differs and is read at the start alone needs a restart. */
export type AtStart = ReadonlyMap<SettingName, string>;

/** What is read at the start alone, as it is now. */
export function valuesAtStart(config: Config): AtStart {
  const names = settingNames.filter((name) => describeSetting(name).restart === true);
  return new Map(names.map((name) => [name, JSON.stringify(config.get(name))]));
}

/** Settings that have another value than the one the server runs with. */
export function restartNeeded(config: Config, atStart: AtStart): readonly string[] {
  return [...atStart].filter(([name, value]) => JSON.stringify(config.get(name)) !== value).map(([name]) => name);
}

/** All settings that are shown. Secrets are told to be set or not, never by their value. */
export function settingsView(config: Config, atStart: AtStart): JsonObject {
  return {
    settings: settingNames
      .filter((name) => describeSetting(name).hidden !== true)
      .map((name) => settingView(config, name)),
    dynamic: [...config.dynamic()].map(([name, value]) => ({
      name,
      source: config.dynamicSource(name) ?? 'file',
      ...(isSecretSetting(name, value) ? { secret: true, isSet: value !== '' } : { value }),
    })),
    restartNeeded: [...restartNeeded(config, atStart)],
    file: config.confPath,
    problems: config.problems.map(({ message }) => message),
  };
}

function settingView(config: Config, name: SettingName): JsonObject {
  const setting = describeSetting(name);
  const source = config.source(name);
  const common = {
    name,
    group: setting.group,
    type: setting.type,
    text: setting.text,
    source,
    restart: setting.restart === true,
    unbuilt: setting.notRead === true,
    ...(setting.type === 'choice' ? { options: [...setting.options] } : {}),
    ...(setting.type === 'multichoice' && setting.among !== undefined ? { options: [...setting.among] } : {}),
    ...(setting.type === 'integer'
      ? {
          ...(setting.min === undefined ? {} : { min: setting.min }),
          ...(setting.max === undefined ? {} : { max: setting.max }),
        }
      : {}),
  };
  const value: JsonValue = plain(config.get(name));
  if (setting.secret === true) return { ...common, secret: true, isSet: value !== '' };
  return { ...common, value, default: plain(setting.default) };
}

function plain(value: string | number | boolean | readonly string[]): JsonValue {
  return typeof value === 'object' ? [...value] : value;
}

/** By whom settings are changed. */
export interface SettingsActor {
  readonly sessions: ConfigSessions;
  /** The secret of the session that asks. */
  readonly session: string;
}

/**
 * Changes settings and saves them: the text of each by its name, null for its default. All or none. Throws `ConfigError` for values that
 * cannot be, `ConfigurationError` 409 for settings that the environment gives, 422 for those that are not shown.
 */
export async function changeSettings(
  config: Config,
  { sessions, session }: SettingsActor,
  changes: ReadonlyMap<string, string | null>,
): Promise<void> {
  for (const name of changes.keys()) {
    const known = findSettingName(name);
    if (known === undefined) {
      if (!/^[\w.-]{1,200}$/.test(name))
        throw new ConfigurationError(422, `'${name.slice(0, 60)}' is no name of a setting`, name);
      if (config.dynamicSource(name) === 'environment') throw givenByEnvironment(name);
    } else if (describeSetting(known).hidden === true)
      throw new ConfigurationError(422, `'${known}' is not changed here`, known);
    else if (config.source(known) === 'environment') throw givenByEnvironment(known);
  }
  checkAddresses(config, changes);
  sessions.actingAs(session, () => {
    config.setAll(new Map([...changes].map(([name, text]) => [name, text ?? undefined])));
  });
  await config.save();
}

/** Addresses of databases, kept ones too. */
const ADDRESS = /^((?:[\w-]+\.)?database\.connection\.)url$/i;

/** Whoever has a session, and not the password of a database, cannot have it sent somewhere else: another address needs it anew. Throws `ConfigurationError` 422. */
function checkAddresses(config: Config, changes: ReadonlyMap<string, string | null>): void {
  const value = (name: string): string => {
    const known = findSettingName(name);
    return known === undefined ? (config.dynamic().get(name) ?? '') : String(config.get(known));
  };
  const given = new Set([...changes.keys()].map((name) => name.toLowerCase()));
  for (const [name, text] of changes) {
    const prefix = ADDRESS.exec(name)?.[1];
    if (prefix === undefined || text === null || text === value(name)) continue;
    const password = `${prefix}password`;
    const known = findSettingName(password);
    // The default is no secret.
    const isSecret = value(password) !== '' && (known === undefined || config.source(known) !== 'default');
    if (isSecret && !given.has(password.toLowerCase())) throw needsPassword(password);
  }
}

function givenByEnvironment(name: string): ConfigurationError {
  return new ConfigurationError(409, `'${name}' is given by the environment, so it cannot be changed here`, name);
}
