/** Finds elements of HTML pages on a thread of its own (`scripting/functions/messages/http.ts`). */
import { load } from 'cheerio';
import { outcomeOf, type Outcome } from '../outcome.js';

export interface HtmlSelectJob {
  readonly html: string;
  /** A CSS selector. */
  readonly selector: string;
  /** Elements and characters that are answered. */
  readonly most: number;
  readonly longest: number;
}

/** The outer HTML of the elements, in their order. */
export default function select({ html, selector, most, longest }: HtmlSelectJob): Promise<Outcome<string[]>> {
  return outcomeOf(() => {
    const $ = load(html);
    const found = $(selector);
    if (found.length > most) throw new Error(`it matches more than ${String(most)} elements`);
    let length = 0;
    return found.toArray().map((element) => {
      const text = $.html(element);
      length += text.length;
      if (length > longest) throw new Error(`it matches more than ${String(longest)} characters`);
      return text;
    });
  });
}
