/** Which settings and variables scripts do not get to see. */
import {
  findSettingName,
  fromEnvironmentName,
  isSecretSetting,
  looksSecret,
  type Config,
} from '../../../config/index.js';

export const HIDDEN = '****** HIDDEN ******';

/** The text of a setting for scripts; undefined: there is none of this name. */
export function visibleSetting(config: Config, name: string): string | undefined {
  const known = findSettingName(name);
  if (known === undefined) {
    // Settings that the operator made up.
    const value = config.dynamic().get(name);
    return value === undefined ? undefined : isSecretSetting(name, value) ? HIDDEN : value;
  }
  const value = config.get(known);
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  return isSecretSetting(known, text) ? HIDDEN : text;
}

/** The value of an environment variable for scripts. */
export function visibleVariable(name: string, value: string): string {
  const setting = fromEnvironmentName(name);
  const known = setting === undefined ? undefined : findSettingName(setting);
  const isSecret = known === undefined ? looksSecret(name, value) : isSecretSetting(known, value);
  return isSecret ? HIDDEN : value;
}
