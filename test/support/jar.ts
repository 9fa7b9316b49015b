/** A browser as far as cookies and redirects go. */

export interface Page {
  /** Where the redirects ended; of a stop the URL that was not asked for any more. */
  readonly url: URL;
  readonly status: number;
  readonly text: string;
  readonly stopped: boolean;
}

interface Cookie {
  /** Without the port: cookies know none. */
  readonly host: string;
  readonly path: string;
  readonly name: string;
  readonly value: string;
}

export class Jar {
  #cookies: Cookie[] = [];
  /** `Set-Cookie` lines of all answers. */
  readonly lines: string[] = [];

  /** Names of the cookies that would be sent. */
  names(url: string): string[] {
    return this.#for(new URL(url)).map(({ name }) => name);
  }

  /** Opens a page and follows redirects, up to the first URL that `stop` wants. */
  async open(start: string | URL, form?: Record<string, string>, stop?: (url: URL) => boolean): Promise<Page> {
    let url = new URL(start);
    let body = form === undefined ? undefined : new URLSearchParams(form);
    for (let hops = 0; hops < 20; hops++) {
      const cookies = this.#for(url).map(({ name, value }) => `${name}=${value}`);
      const response = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        ...(body === undefined ? {} : { body }),
        headers: cookies.length === 0 ? {} : { Cookie: cookies.join('; ') },
      });
      for (const line of response.headers.getSetCookie()) this.#keep(url, line);
      const text = await response.text();
      const location = response.headers.get('location');
      if (location === null) return { url, status: response.status, text, stopped: false };
      url = new URL(location, url);
      body = undefined;
      if (stop?.(url) === true) return { url, status: response.status, text, stopped: true };
    }
    throw new Error(`too many redirects, the last to ${url.href}`);
  }

  #for(url: URL): Cookie[] {
    return this.#cookies.filter(({ host, path }) => host === url.hostname && url.pathname.startsWith(path));
  }

  #keep(url: URL, line: string): void {
    this.lines.push(line);
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const name = pair.slice(0, pair.indexOf('='));
    const path = attributes.find((a) => /^path=/i.test(a))?.slice(5) ?? '/';
    const ended = attributes.some((a) => /^max-age=0$/i.test(a) || /^expires=Thu, 01 Jan 1970/i.test(a));
    this.#cookies = this.#cookies.filter((c) => !(c.host === url.hostname && c.path === path && c.name === name));
    if (!ended) this.#cookies.push({ host: url.hostname, path, name, value: pair.slice(name.length + 1) });
  }
}
