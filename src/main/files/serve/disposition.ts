/** `Content-Disposition: attachment` with this file name, in both forms that clients know (RFC 6266). */
export function attachment(filename: string): string {
  // eslint-disable-next-line no-control-regex
  const name = filename.replace(/[\u0000-\u001f\u007f]/g, '');
  const plain = name.replace(/[^ -~]/g, '_').replace(/["\\]/g, '\\$&');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return plain === name
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
