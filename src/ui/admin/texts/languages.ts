/** The languages of the Admin UI: a line each, and its texts in the files beside this one. */
const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
/** The name of a language, as `lang` of HTML has it. */
export type Language = keyof typeof LANGUAGES;
/** The languages with their names in themselves, in the order of the choice. */
export const languages = Object.entries(LANGUAGES) as readonly (readonly [Language, string])[];

/** Whether a name, such as one that was kept or that the browser tells, is that of a language of the Admin UI. */
export const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name);
