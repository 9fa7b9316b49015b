/** What calling a method takes from its request, and makes of several results (scripting.md 4, rest.md 5.2). */
import type { ScriptValue } from '../scripting/index.js';
import { ScriptEntity } from '../scripting/index.js';
import type { RestRequest } from './context.js';

/** A language with or without a country, as people and browsers write it. */
const LOCALE = /^([a-zA-Z]{2,3})(?:[-_]([a-zA-Z]{2}))?$/;

/** `de_DE`: of the parameter, the user, the cookie, the browser, the server, whichever says so first. */
export function localeOf({ exchange, parameters, services, actor }: RestRequest): string {
  const user =
    actor.id === undefined ? undefined : services.security.principals.peek(actor.id)?.node.properties['locale'];
  const [wished] = exchange.header('accept-language').split(/[,;]/);
  for (const one of [parameters.text('locale'), user, exchange.cookie('locale'), wished]) {
    const match = typeof one === 'string' ? LOCALE.exec(one.trim()) : null;
    if (match !== null) {
      const language = match[1]?.toLowerCase() ?? '';
      return match[2] === undefined ? language : `${language}_${match[2].toUpperCase()}`;
    }
  }
  return services.scripting.locale;
}

/** Each value once, in the order of the first; objects by their ids (rest.md 5.2). */
export function distinct(values: readonly ScriptValue[]): ScriptValue[] {
  const seen = new Set<unknown>();
  return values.filter((value) => {
    const key = value instanceof ScriptEntity ? value.id : value instanceof Date ? value.getTime() : value;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
