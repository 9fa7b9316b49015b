/** The texts in the language of who reads: what was chosen here, else what the browser says. */
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { en, type TextKey, type Texts } from './en.js';

/** A language is a line here, and a file beside this one. */
const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;
export const languages = Object.entries(LANGUAGES) as readonly (readonly [Language, string])[];

const KEPT = 'svc.language';

/** A text; `values` stand in the place of `{name}`. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

interface Spoken {
  readonly t: Translate;
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

const Context = createContext<Spoken | undefined>(undefined);

const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name);

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
  const t: Translate = (key, values = {}) =>
    loaded.texts[key].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
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

/** Numbers and times as the reader's locale has them. */
export function useFormats(): {
  readonly number: (value: number) => string;
  readonly time: (value: string | number | Date) => string;
  readonly bytes: (value: number) => string;
} {
  const { language } = useTexts();
  // The region of the browser counts where it speaks the language that is shown.
  const locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;
  const numbers = new Intl.NumberFormat(locale);
  const sizes = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  return {
    number: (value) => numbers.format(value),
    time: (value) => times.format(new Date(value)),
    bytes(value) {
      const units = ['B', 'KB', 'MB', 'GB', 'TB'];
      const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
      return `${sizes.format(value / 1024 ** power)} ${units[power] ?? ''}`;
    },
  };
}
