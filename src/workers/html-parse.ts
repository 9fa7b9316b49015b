/** Reads HTML on a thread: what is imported may be long, and is of others (`pages/import`). */
import { outcomeOf, type Outcome } from './outcome.js';
import { parseExport } from './html/export-form.js';
import { parseHtml } from './html/html.js';
import { countOf, type ParsedNode } from './html/parsed.js';

export type { ParsedNode };

export interface HtmlParseJob {
  readonly html: string;
  /** `document`: what HTML adds by itself (`html`, `head`, `body`) is there; `export`: what is written alone (docs/interface/pages.md 8.3). */
  readonly form: 'document' | 'fragment' | 'export';
  readonly most: number;
  readonly deepest: number;
}

export default function parse({ html, form, most, deepest }: HtmlParseJob): Promise<Outcome<ParsedNode[]>> {
  return outcomeOf(() => {
    const nodes = form === 'export' ? parseExport(html, deepest) : parseHtml(html, form === 'document', deepest);
    const { count, depth } = countOf(nodes);
    if (count > most) throw new Error(`it has more than ${String(most)} nodes`);
    if (depth > deepest) throw new Error(`it has more than ${String(deepest)} levels`);
    return nodes;
  });
}
