/** Values in texts: `{name}` is a value, `{n, one {# object} other {# objects}}` the form that the language has for a number. */
import type { Language } from './languages.js';

export type Values = Readonly<Record<string, string | number>>;

/** The locale of who reads: the region of the browser counts where it speaks the language that is shown. */
export function localeOf(language: Language): string {
  return navigator.languages.find((name) => name.startsWith(language)) ?? language;
}

const PLACE = /\{(\w+)(?:,((?:\s*\w+\s*\{[^{}]*\})+)\s*)?\}/g;

/** `#` within a form is the number, as the locale writes it. */
export function fill(text: string, values: Values, language: Language): string {
  return text.replaceAll(PLACE, (whole, name: string, forms: string | undefined) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (forms === undefined || typeof value !== 'number') return String(value);
    const wanted = new Intl.PluralRules(language).select(value);
    const known = new Map(
      [...forms.matchAll(/(\w+)\s*\{([^{}]*)\}/g)].map(([, form = '', words = '']) => [form, words]),
    );
    const words = known.get(wanted) ?? known.get('other') ?? '#';
    return words.replaceAll('#', new Intl.NumberFormat(localeOf(language)).format(value));
  });
}
