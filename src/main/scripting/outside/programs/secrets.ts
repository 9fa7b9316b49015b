/** Which settings and variables scripts do not get to see. */
import { describeSetting, findSettingName, fromEnvironmentName, type Config } from '../../../config/index.js';

export const HIDDEN = '****** HIDDEN ******';

/** Words that name secrets, wherever they are in a name. */
const SECRET_WORDS =
  /pass(?:word|wd|phrase)|passwd|pwd|secret|token|credential|private|(?:api|access|signing|encryption|auth)[_.-]?key/i;
/** Short words count only as a whole part of a name: `SSH_KEY`, not `KEYBOARD`. */
const SECRET_PARTS = /(?:^|[_.-])(?:key|pass|pin|auth|jwt|salt|dsn)(?:$|[_.-])/i;
/** A password in an address: `postgres://name:password@host`. */
const PASSWORD_IN_URL = /:\/\/[^/\s:@]*:[^/\s@]+@/;

function looksSecret(name: string, value: string): boolean {
  return SECRET_WORDS.test(name) || SECRET_PARTS.test(name) || PASSWORD_IN_URL.test(value);
}

/** The text of a setting for scripts; undefined: there is none of this name. */
export function visibleSetting(config: Config, name: string): string | undefined {
  const known = findSettingName(name);
  if (known !== undefined) {
    const value = config.get(known);
    const text = Array.isArray(value) ? value.join(' ') : String(value);
    return describeSetting(known).secret === true || PASSWORD_IN_URL.test(text) ? HIDDEN : text;
  }
  // Settings that the operator made up; nobody has said which of them are secret.
  const value = config.dynamic().get(name);
  return value === undefined ? undefined : looksSecret(name, value) ? HIDDEN : value;
}

/** The value of an environment variable for scripts. */
export function visibleVariable(name: string, value: string): string {
  const setting = fromEnvironmentName(name);
  const known = setting === undefined ? undefined : findSettingName(setting);
  const isSecret =
    known === undefined
      ? looksSecret(name, value)
      : describeSetting(known).secret === true || PASSWORD_IN_URL.test(value);
  return isSecret ? HIDDEN : value;
}
