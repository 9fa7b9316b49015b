import type { Security } from '../security/index.js';
import type { RequestContext } from './context.js';

/** A language with or without a country, as people and browsers write it. */
const LOCALE = /^([a-zA-Z]{2,3})(?:[-_]([a-zA-Z]{2}))?$/;

/** `de_DE`: of the parameter, the user, the cookie, the browser, whichever says so first; else the server's. */
export function localeOf(
  { exchange, actor }: RequestContext,
  { principals }: Pick<Security, 'principals'>,
  parameter: string | undefined,
  server: string,
): string {
  const user = actor.id === undefined ? undefined : principals.peek(actor.id)?.node.properties['locale'];
  for (const one of [parameter, user, exchange.cookie('locale')]) {
    const locale = typeof one === 'string' ? localeIn(one) : undefined;
    if (locale !== undefined) return locale;
  }
  for (const one of wishesIn(exchange.header('accept-language'))) {
    const locale = localeIn(one);
    if (locale !== undefined) return locale;
  }
  return server;
}

function localeIn(text: string): string | undefined {
  const [, language, country] = LOCALE.exec(text.trim()) ?? [];
  if (language === undefined) return undefined;
  return country === undefined ? language.toLowerCase() : `${language.toLowerCase()}_${country.toUpperCase()}`;
}

/** Languages that a client may wish; more of them say nothing. */
const MOST_WISHES = 20;

/** What `Accept-Language` names, the most wished first: `de-AT, de;q=0.9, *;q=0.5`. */
function wishesIn(header: string): string[] {
  const wishes = header.split(',', MOST_WISHES).map((one) => {
    const [name = '', quality] = one.split(';', 2);
    return { name, quality: quality === undefined ? 1 : Number(/^\s*q=(.*)$/i.exec(quality)?.[1] ?? 1) };
  });
  const wished = wishes.filter(({ quality }) => quality > 0);
  return wished.sort((a, b) => b.quality - a.quality).map(({ name }) => name);
}
