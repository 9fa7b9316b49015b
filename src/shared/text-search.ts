/** Looking for a part of a text whose authors are strangers. */

/**
 * Length from which on a part can slow the search of V8, and Node's for buffers, down: their tables know its last 250
 * characters, and a longer one can be written so that each place of the text costs as many steps as it is long: 2 s for
 * 500,000 characters and 8,000.
 */
export const LONG_PART = 250;

/** `text.indexOf(part, from)`, in time that grows with the lengths of both, not with their product. */
export function positionOf(text: string, part: string, from = 0): number {
  return part.length < LONG_PART ? text.indexOf(part, from) : linear(text, part, from);
}

/** `text.includes(part)`, likewise. */
export function includesText(text: string, part: string): boolean {
  return positionOf(text, part) >= 0;
}

/** `text.split(separator, most)`, likewise. */
export function splitText(text: string, separator: string, most: number): string[] {
  if (separator.length < LONG_PART) return text.split(separator, most);
  const parts: string[] = [];
  let at = 0;
  while (parts.length < most) {
    const end = positionOf(text, separator, at);
    parts.push(text.slice(at, end < 0 ? text.length : end));
    if (end < 0) break;
    at = end + separator.length;
  }
  return parts;
}

/** The search of Knuth, Morris and Pratt: no character of the text is looked at twice. */
function linear(text: string, part: string, from: number): number {
  /** For each beginning of the part the length of the longest shorter one that it ends with. */
  const shorter = new Int32Array(part.length);
  for (let i = 1, length = 0; i < part.length; i++) {
    while (length > 0 && part.charCodeAt(i) !== part.charCodeAt(length)) length = shorter[length - 1] ?? 0;
    if (part.charCodeAt(i) === part.charCodeAt(length)) length++;
    shorter[i] = length;
  }
  for (let i = Math.max(0, from), length = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    while (length > 0 && char !== part.charCodeAt(length)) length = shorter[length - 1] ?? 0;
    if (char === part.charCodeAt(length)) length++;
    if (length === part.length) return i - length + 1;
  }
  return -1;
}
