/** Style sheets of a page that is imported: the files they name, and their texts with the paths of these (docs/interface/pages.md 8.5). */
import { ScriptError, type ScriptThreads } from '../../../scripting/index.js';
import type { CssUrl, CssUrlsJob } from '../../../../workers/html/css-urls.js';
import type { boundedBy } from '../read-html.js';

export type { CssUrl };

/** Characters of a sheet that is looked through; addresses in one. */
export const LONGEST_SHEET = 4 * 1024 * 1024;
const MOST_URLS = 5000;

/** A sheet that cannot be looked through. */
export class SheetError extends ScriptError {
  constructor(readonly problem: string) {
    super(422, `A style sheet cannot be read: ${problem}.`);
  }
}

/** The addresses in sheets, or parts of sheets; for each text its own. Throws `SheetError`, and `ScriptError` 422. */
export async function urlsIn(
  texts: readonly string[],
  threads: ScriptThreads,
  run: ReturnType<typeof boundedBy>,
): Promise<readonly (readonly CssUrl[])[]> {
  if (texts.length === 0) return [];
  const job: CssUrlsJob = { texts, most: MOST_URLS };
  const outcome = await threads.run<readonly (readonly CssUrl[])[]>('html/css-urls', job, 'A style sheet', { run });
  if ('problem' in outcome) throw new SheetError(outcome.problem);
  return outcome.value;
}

/** A sheet with other addresses. `instead`: what stands in the place of one; undefined: it stays. */
export function withUrls(css: string, urls: readonly CssUrl[], instead: (url: CssUrl) => string | undefined): string {
  let text = '';
  let at = 0;
  for (const url of urls) {
    const address = instead(url);
    if (address === undefined) continue;
    text += `${css.slice(at, url.from)}url("${address.replace(/["\\\n\r\f]/g, (sign) => encodeURIComponent(sign))}")`;
    at = url.to;
  }
  return text + css.slice(at);
}
