/** The texts in the language of who reads: what was chosen here, else what the browser says. */
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { en, type TextKey, type Texts } from './en.js';
import { fill, localeOf } from './fill.js';
import { isLanguage, type Language } from './languages.js';

export { languages, type Language } from './languages.js';

const KEPT = 'svc.language';

/** A text; `values` stand in the place of `{name}`. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

interface Spoken {
  readonly t: Translate;
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

const Context = createContext<Spoken | undefined>(undefined);

function firstLanguage(): Language {
  const kept = localStorage.getItem(KEPT) ?? '';
  const wanted = [kept, ...navigator.languages.map((name) => name.slice(0, 2))];
  return wanted.find(isLanguage) ?? 'en';
}

/** Gives the texts to all below; nothing is shown before they are there. */
export function TextsOf({ children }: { readonly children: ReactNode }): ReactNode {
  const [language, setLanguage] = useState(firstLanguage);
  const [loaded, setLoaded] = useState<{ readonly language: Language; readonly texts: Texts } | undefined>(
    language === 'en' ? { language, texts: en } : undefined,
  );
  useEffect(() => {
    let stale = false;
    void (async () => {
      const texts = language === 'de' ? (await import('./de.js')).de : en;
      if (stale) return;
      document.documentElement.lang = language;
      setLoaded({ language, texts });
    })();
    return () => {
      stale = true;
    };
  }, [language]);
  if (loaded === undefined) return null;
  const t: Translate = (key, values = {}) => fill(loaded.texts[key], values, loaded.language);
  const choose = (next: Language): void => {
    localStorage.setItem(KEPT, next);
    setLanguage(next);
  };
  return <Context value={{ t, language: loaded.language, choose }}>{children}</Context>;
}

/** The texts, and the language that they are in. */
export function useTexts(): Spoken {
  const spoken = useContext(Context);
  if (spoken === undefined) throw new Error('useTexts() stands outside of TextsOf');
  return spoken;
}

interface Formats {
  readonly number: (value: number) => string;
  /** With all digits. */
  readonly exact: (value: number) => string;
  readonly time: (value: string | number | Date) => string;
  /** A day without its time. */
  readonly day: (value: string | number | Date) => string;
  readonly bytes: (value: number) => string;
}

/** Made once for a locale: making them shows where a table has a thousand cells. */
const made = new Map<string, Formats>();

function formatsOf(locale: string): Formats {
  let formats = made.get(locale);
  if (formats !== undefined) return formats;
  const numbers = new Intl.NumberFormat(locale);
  const values = new Intl.NumberFormat(locale, { maximumFractionDigits: 20 });
  const sizes = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  formats = {
    number: (value) => numbers.format(value),
    exact: (value) => values.format(value),
    time: (value) => times.format(new Date(value)),
    day: (value) => days.format(new Date(value)),
    bytes(value) {
      const units = ['B', 'KB', 'MB', 'GB', 'TB'];
      const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
      return `${sizes.format(value / 1024 ** power)} ${units[power] ?? ''}`;
    },
  };
  made.set(locale, formats);
  return formats;
}

/** Numbers and times as the reader's locale has them. */
export function useFormats(): Formats {
  const { language } = useTexts();
  return formatsOf(localeOf(language));
}
