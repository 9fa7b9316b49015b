/** Whether who asks is a browser that wants to show something, by its `Accept` header (RFC 9110 12.5.1). */

/**
 * True when `accept` names `text/html` and puts it before JSON. Wildcards alone ask for nothing: programs that send none or a
 * wildcard get JSON.
 */
export function prefersHtml(accept: string): boolean {
  let html = 0;
  let json = 0;
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const quality = qualityOf(parameters);
    if (type === 'text/html') html = Math.max(html, quality);
    else if (type === 'application/json') json = Math.max(json, quality);
  }
  return html > 0 && html >= json;
}

function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  const quality = Number(given.slice(2));
  return quality >= 0 && quality <= 1 ? quality : 0;
}
