import { escapeMarkup } from '../../shared/escape-markup.js';

/** Values that a template may name as `${name}`. */
export type MailValues = ReadonlyMap<string, string>;

const PLACE = /\$\{\s*([A-Za-z_]\w{0,99})\s*\}/g;

/** Puts values into a text; what has no value becomes nothing. Values are not looked through again. */
export function fillText(template: string, values: MailValues): string {
  return template.replace(PLACE, (_, name: string) => values.get(name) ?? '');
}

/** The same for HTML: values cannot add markup. */
export function fillHtml(template: string, values: MailValues): string {
  return template.replace(PLACE, (_, name: string) => escapeMarkup(values.get(name) ?? ''));
}

/** A text for a header: one line, whatever was in it. */
export function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim();
}
