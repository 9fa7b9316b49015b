import type { Setting, SettingValue } from './setting.js';

/** A text that was understood, or what is wrong with it. */
export type Parsed =
  { readonly ok: true; readonly value: SettingValue } | { readonly ok: false; readonly reason: string };

/** Longest piece of a wrong value that a message repeats. */
const SHOWN = 60;

/** Reads the text of a value. The reason never contains the value of a secret. */
export function parseValue(setting: Setting, text: string): Parsed {
  const shown =
    setting.secret === true ? 'the value' : `'${text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text}'`;
  switch (setting.type) {
    case 'boolean': {
      const word = text.toLowerCase();
      if (word === 'true') return { ok: true, value: true };
      if (word === 'false') return { ok: true, value: false };
      return { ok: false, reason: `${shown} is not true or false` };
    }
    case 'integer': {
      const value = Number(text);
      if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value)) {
        return { ok: false, reason: `${shown} is not a whole number` };
      }
      if (setting.min !== undefined && value < setting.min) {
        return { ok: false, reason: `${shown} is less than ${String(setting.min)}` };
      }
      if (setting.max !== undefined && value > setting.max) {
        return { ok: false, reason: `${shown} is more than ${String(setting.max)}` };
      }
      // `+ 0` turns -0 into 0.
      return { ok: true, value: value + 0 };
    }
    case 'choice': {
      const lower = text.toLowerCase();
      const option = setting.options.find((candidate) => candidate.toLowerCase() === lower);
      if (option !== undefined) return { ok: true, value: option };
      const options = setting.options.filter((candidate) => candidate !== '').join(', ');
      return { ok: false, reason: `${shown} is none of ${options}` };
    }
    case 'multichoice': {
      const words = text.split(/[\s,]+/).filter((word) => word !== '');
      const problem = words.map((word) => setting.check?.(word)).find((found) => found !== undefined);
      return problem === undefined ? { ok: true, value: words } : { ok: false, reason: problem };
    }
    case 'string':
    case 'text':
    case 'password': {
      if (setting.pattern?.test(text) === false) {
        const example = setting.example === undefined ? '' : `; it should look like ${setting.example}`;
        return { ok: false, reason: `${shown} is not understood${example}` };
      }
      const problem = setting.check?.(text);
      return problem === undefined ? { ok: true, value: text } : { ok: false, reason: `${shown}: ${problem}` };
    }
  }
}

/** Writes a value as text that `parseValue` reads back. */
export function formatValue(value: SettingValue): string {
  return typeof value === 'object' ? value.join(' ') : String(value);
}

/** Whether two values of one setting are the same. */
export function sameValue(a: SettingValue, b: SettingValue): boolean {
  return a === b || formatValue(a) === formatValue(b);
}
