/** Texts of one area, which are loaded with it: a file in this folder for each area, beside the texts of the first screen. */
import type { TextKey } from './en.js';
import { fill } from './fill.js';
import { useTexts, type Language } from './index.js';

/** The texts of an area by key, in all languages. */
export type Catalogue<Key extends string> = Readonly<Record<Language, Readonly<Record<Key, string>>>>;

/** Both languages have the same keys; another key is an error of types. `{name}` in a text stands for a value, forms of numbers are in `fill.ts`. */
export function catalogue<Key extends string>(
  en: Readonly<Record<Key, string>>,
  de: Readonly<Record<NoInfer<Key>, string>>,
): Catalogue<Key> {
  return { en, de };
}

/** The texts of an area together with those that all areas share (`app.…`). */
export function useAreaTexts<Key extends string>(
  texts: Catalogue<Key>,
): {
  readonly t: (key: Key | TextKey, values?: Readonly<Record<string, string | number>>) => string;
  readonly language: Language;
} {
  const { t: shared, language } = useTexts();
  const own = texts[language];
  const isOwn = (key: Key | TextKey): key is Key => Object.hasOwn(own, key);
  return {
    t: (key, values = {}) => (isOwn(key) ? fill(own[key], values, language) : shared(key, values)),
    language,
  };
}
