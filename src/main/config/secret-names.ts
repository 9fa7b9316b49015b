/** Which settings and variables hold secrets, by what is said of them, or else by their names and values. */
import { describeSetting, findSettingName } from './catalogue.js';

/** Words that name secrets, wherever they are in a name. */
const SECRET_WORDS =
  /pass(?:word|wd|phrase)|passwd|pwd|secret|token|credential|private|(?:api|access|signing|encryption|auth)[_.-]?key/i;
/** Short words count only as a whole part of a name: `SSH_KEY`, not `KEYBOARD`. */
const SECRET_PARTS = /(?:^|[_.-])(?:key|pass|pin|auth|jwt|salt|dsn)(?:$|[_.-])/i;
/** A password in an address: `postgres://name:password@host`. */
const PASSWORD_IN_URL = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** Whether the value of a name that users chose, a variable for example, is nothing to be shown. */
export function looksSecret(name: string, value: string): boolean {
  return SECRET_WORDS.test(name) || SECRET_PARTS.test(name) || PASSWORD_IN_URL.test(value);
}

/** Whether the value of a setting is nothing to be shown, be it of the catalogue or one that users made up. */
export function isSecretSetting(name: string, value: string): boolean {
  const known = findSettingName(name);
  if (known === undefined) return looksSecret(name, value);
  return describeSetting(known).secret === true || PASSWORD_IN_URL.test(value);
}
