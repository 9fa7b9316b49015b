// eslint-disable-next-line no-control-regex
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;
/** Beyond this the engine's own search is the faster one. */
const SHORT = 40;

/** A JSON string literal, the same as `JSON.stringify` writes. */
export function jsonString(text: string): string {
  const { length } = text;
  if (length > SHORT) return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    // Surrogates: a lone one has to be escaped.
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff))
      return JSON.stringify(text);
  }
  return `"${text}"`;
}
