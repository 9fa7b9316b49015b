/** `https://` when the scheme is missing; undefined: no address of a server. */
export function endpointOf(text: string): URL | undefined {
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
    const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    return plain && /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}
