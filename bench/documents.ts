/** Documents of one's own text, made without a library: what the bench and tests read. */

/** By what they are called. */
export const plainDocuments = {
  rtf: (text: string): Buffer =>
    Buffer.from(
      `{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0\\fcharset0 Arial;}}{\\info{\\title hidden}}\\f0 ${text
        .replace(/[\u0080-\u00ff]/g, (sign) => `\\'${sign.charCodeAt(0).toString(16)}`)
        .replace(/[\u0100-\uffff]/g, (sign) => `\\u${String(sign.charCodeAt(0))}?`)}\\par}`,
      'latin1',
    ),
  eml: (subject: string, text: string, attachment: Buffer, name: string): Buffer =>
    Buffer.from(
      [
        'From: Jane <jane@example.com>',
        'To: joe@example.com',
        `Subject: ${subject}`,
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary="b"',
        '',
        '--b',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from(text).toString('base64'),
        '--b',
        `Content-Type: application/octet-stream; name="${name}"`,
        `Content-Disposition: attachment; filename="${name}"`,
        'Content-Transfer-Encoding: base64',
        '',
        attachment.toString('base64').replace(/.{76}/g, '$&\r\n'),
        '--b--',
        '',
      ].join('\r\n'),
    ),
  /** Lines of ASCII, a page each. */
  pdf: (pages: readonly string[]): Buffer => {
    const objects: string[] = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Count ${String(pages.length)} /Kids [${pages.map((_, i) => `${String(4 + 2 * i)} 0 R`).join(' ')}] >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ];
    for (const [i, text] of pages.entries()) {
      const shown = text
        .split('\n')
        .map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`)
        .join(' ');
      const content = `BT /F1 12 Tf 14 TL 72 720 Td ${shown} ET`;
      objects.push(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${String(5 + 2 * i)} 0 R >>`,
        `<< /Length ${String(content.length)} >>\nstream\n${content}\nendstream`,
      );
    }
    return pdfOf(objects.map((one) => Buffer.from(one, 'latin1')));
  },
  /** A page that is a JPEG. */
  scan: (jpeg: Buffer, width: number, height: number): Buffer => {
    const size = [width / 4, height / 4].map(String);
    const draw = `q ${size[0] ?? ''} 0 0 ${size[1] ?? ''} 0 0 cm /I Do Q`;
    const image =
      `<< /Type /XObject /Subtype /Image /Width ${String(width)} /Height ${String(height)} /ColorSpace /DeviceRGB ` +
      `/BitsPerComponent 8 /Filter /DCTDecode /Length ${String(jpeg.length)} >>\nstream\n`;
    return pdfOf([
      Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
      Buffer.from('<< /Type /Pages /Count 1 /Kids [3 0 R] >>'),
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(' ')}] /Resources << /XObject << /I 4 0 R >> >> /Contents 5 0 R >>`,
      ),
      Buffer.concat([Buffer.from(image), jpeg, Buffer.from('\nendstream')]),
      Buffer.from(`<< /Length ${String(draw.length)} >>\nstream\n${draw}\nendstream`),
    ]);
  },
};

/** A PDF of these objects; the first is its catalogue. */
export function pdfOf(objects: readonly Buffer[]): Buffer {
  const parts = [Buffer.from('%PDF-1.4\n')];
  let at = parts[0]?.length ?? 0;
  const offsets = objects.map((object, i) => {
    const begin = at;
    const part = Buffer.concat([Buffer.from(`${String(i + 1)} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    parts.push(part);
    at += part.length;
    return begin;
  });
  const size = String(objects.length + 1);
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const end = `trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${String(at)}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${entries}${end}`)]);
}
