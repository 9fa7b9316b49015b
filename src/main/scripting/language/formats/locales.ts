/** Locales as scripts write them (`de`, `de_DE`, `de-DE`) and as `Intl` knows them. */

const TAG = /^([A-Za-z]{2,3})(?:[_-]([A-Za-z]{4}))?(?:[_-]([A-Za-z]{2}|\d{3}))?(?:[_-].*)?$/;

/** The language tag that `Intl` takes; undefined for what is no locale. */
export function languageTag(locale: string): string | undefined {
  const match = locale.length > 40 ? null : TAG.exec(locale.trim());
  if (match === null) return undefined;
  const [, language = '', script, region] = match;
  const tag = [language.toLowerCase(), script, region?.toUpperCase()].filter((part) => part !== undefined).join('-');
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** The locale as scripts read it: `de_DE`. */
export function localeName(locale: string): string | undefined {
  return languageTag(locale)?.replaceAll('-', '_');
}
