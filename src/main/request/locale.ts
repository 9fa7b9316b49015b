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
  const [wished] = exchange.header('accept-language').split(/[,;]/);
  for (const one of [parameter, user, exchange.cookie('locale'), wished]) {
    const match = typeof one === 'string' ? LOCALE.exec(one.trim()) : null;
    if (match === null) continue;
    const language = match[1]?.toLowerCase() ?? '';
    return match[2] === undefined ? language : `${language}_${match[2].toUpperCase()}`;
  }
  return server;
}
