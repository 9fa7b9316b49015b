/** The languages of the Admin UI: a line each, and its texts in the files beside this one. */
const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;
export const languages = Object.entries(LANGUAGES) as readonly (readonly [Language, string])[];

export const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name);
