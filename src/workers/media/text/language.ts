/** The language of a text, by its trigrams. */
import { optional } from '../../../shared/optional-package.js';

/** Characters that are looked at, and how many there must be. */
const SAMPLE = 10_000;
const LEAST = 20;

/** As BCP 47 names it (`en`, `de`); undefined: nothing is known. */
export async function languageOf(text: string): Promise<string | undefined> {
  const { franc } = await optional(() => import('franc-min'));
  const code = franc(text.slice(0, SAMPLE), { minLength: LEAST });
  return code === 'und' ? undefined : new Intl.Locale(code).language;
}
