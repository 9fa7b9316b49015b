/**
 * What a setting is, and the words the tables of `settings/` are written in. Adding a setting is one line in one of
 * those tables (specification, Configuration).
 */

/** Value kinds as the Configuration Interface shows them. `text` is a string that may have several lines. */
export type SettingType = 'string' | 'integer' | 'boolean' | 'choice' | 'multichoice' | 'password' | 'text';

/** What a setting can hold. */
export type SettingValue = string | number | boolean | readonly string[];

interface Details {
  /** A change takes effect at the next start only. Default: at once. */
  readonly restart?: boolean;
  /** Not shown in the Configuration Interface. */
  readonly hidden?: boolean;
  /** Part of the contract, but its feature is not built yet: a value has no effect, and the server says so at start. */
  readonly notRead?: boolean;
  /** Never shown in a message or a log line. Passwords always are secret. */
  readonly secret?: boolean;
}

interface TextDetails extends Details {
  /** The whole value must match. */
  readonly pattern?: RegExp;
  /** What a value looks like, for the message when it does not match. */
  readonly example?: string;
  /** What is wrong with a value, without repeating it; see `checks.ts`. */
  readonly check?: (value: string) => string | undefined;
}

interface WordsDetails extends Details {
  /** The words there are, where they are few: forms show them to be chosen from. Others are taken all the same. */
  readonly among?: readonly string[];
  /** What is wrong with one of the words. */
  readonly check?: (word: string) => string | undefined;
}

interface IntegerDetails extends Details {
  readonly min?: number;
  readonly max?: number;
}

interface Base extends Details {
  /** One line: what it is for, with the unit. */
  readonly text: string;
}

export interface StringSetting extends Base, TextDetails {
  readonly type: 'string' | 'password' | 'text';
  readonly default: string;
  /** A path; a relative one counts from the folder of the settings file. See `Config.path`. */
  readonly path?: true;
}
export interface PathSetting extends StringSetting {
  readonly path: true;
}
export interface IntegerSetting extends Base, IntegerDetails {
  readonly type: 'integer';
  readonly default: number;
}
export interface BooleanSetting extends Base {
  readonly type: 'boolean';
  readonly default: boolean;
}
export interface ChoiceSetting<O extends string = string> extends Base {
  readonly type: 'choice';
  readonly default: O;
  readonly options: readonly O[];
}
export interface MultiChoiceSetting extends Base, WordsDetails {
  readonly type: 'multichoice';
  readonly default: readonly string[];
}

/** A setting without its name and group. */
export type Setting = StringSetting | IntegerSetting | BooleanSetting | ChoiceSetting | MultiChoiceSetting;

/** A setting as it stands in the catalogue. */
export type Grouped<S extends Setting = Setting> = S & { readonly group: string };

/** One line of text. */
export function string(defaultValue: string, text: string, details: TextDetails = {}): StringSetting {
  return { type: 'string', default: defaultValue, text, ...details };
}

/** Text of any number of lines. */
export function longText(defaultValue: string, text: string, details: TextDetails = {}): StringSetting {
  return { type: 'text', default: defaultValue, text, ...details };
}

/** A secret: no message ever contains its value. */
export function password(defaultValue: string, text: string, details: TextDetails = {}): StringSetting {
  return { type: 'password', default: defaultValue, text, ...details, secret: true };
}

/** A file or folder; relative paths count from the folder of the settings file. */
export function path(defaultValue: string, text: string, details: Details = {}): PathSetting {
  return { type: 'string', default: defaultValue, text, ...details, path: true };
}

/** A whole number, both bounds included. */
export function integer(defaultValue: number, text: string, details: IntegerDetails = {}): IntegerSetting {
  return { type: 'integer', default: defaultValue, text, ...details };
}

/** `true` or `false`, in any case. */
export function boolean(defaultValue: boolean, text: string, details: Details = {}): BooleanSetting {
  return { type: 'boolean', default: defaultValue, text, ...details };
}

/** One of some words; the file may write them in any case. */
export function choice<const O extends string>(
  defaultValue: NoInfer<O>,
  options: readonly O[],
  text: string,
  details: Details = {},
): ChoiceSetting<O> {
  return { type: 'choice', default: defaultValue, options, text, ...details };
}

/** Words separated by spaces or commas. */
export function multiChoice(
  defaultValue: readonly string[],
  text: string,
  details: WordsDetails = {},
): MultiChoiceSetting {
  return { type: 'multichoice', default: defaultValue, text, ...details };
}

/** Puts the settings of a table into one group (`tab/heading` of the Configuration Interface). */
export function group<const T extends Readonly<Record<string, Setting>>>(
  name: string,
  settings: T,
): { readonly [K in keyof T]: Grouped<T[K]> } {
  const grouped = Object.entries(settings).map(([key, setting]) => [key, { ...setting, group: name }]);
  return Object.fromEntries(grouped) as { readonly [K in keyof T]: Grouped<T[K]> };
}
