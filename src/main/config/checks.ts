import { isIP } from 'node:net';

/** Checks that more than a pattern is needed for; each answers what is wrong, without repeating the value. */

/** Whether this is a time zone of the tz database, such as `Europe/Berlin` or `UTC`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Empty, or a time zone. */
export function timeZone(value: string): string | undefined {
  return value === '' || isTimeZone(value) ? undefined : 'there is no such time zone';
}

/** A regular expression. */
export function regularExpression(value: string): string | undefined {
  try {
    new RegExp(value);
    return undefined;
  } catch {
    return 'it is no regular expression';
  }
}

/** Empty, or an absolute `http` or `https` URL. */
export function httpUrl(value: string): string | undefined {
  if (value === '') return undefined;
  try {
    if (/^https?:$/.test(new URL(value).protocol)) return undefined;
  } catch {
    // Falls through to the one answer.
  }
  return 'it is no http or https URL';
}

/** Empty, or a path without a slash at its end. */
export function rootPath(value: string): string | undefined {
  if (value === '' || /^(?:\/[\w.~%-]+)+$/.test(value)) return undefined;
  return 'it is no path such as /app, without a slash at its end';
}

/** Empty, or an `http` or `https` URL with the place of the address in it. */
export function geocoderUrl(value: string): string | undefined {
  if (value === '') return undefined;
  const problem = httpUrl(value.replace(/\{\w+\}/g, 'x'));
  if (problem !== undefined) return problem;
  return /\{(?:address|location|street|city|postalCode|country)\}/.test(value)
    ? undefined
    : 'it has no place for the address: {address}, or {street}, {city}, {country}';
}

/** An address or a CIDR range. The launcher reads settings before any package is loaded, so this uses none. */
export function network(value: string): string | undefined {
  const [base = '', length, ...rest] = value.split('/');
  const version = base.includes('%') ? 0 : isIP(base);
  const bits = version === 4 ? 32 : 128;
  const fits = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
  return version !== 0 && fits && rest.length === 0
    ? undefined
    : `'${value.slice(0, 60)}' is no address and no range such as 10.0.0.0/8`;
}

/** Addresses and CIDR ranges, separated by commas or spaces. */
export function networks(value: string): string | undefined {
  const words = value.split(/[\s,]+/).filter((word) => word !== '');
  return words.map(network).find((problem) => problem !== undefined);
}

/** Addresses and CIDR ranges, or the word `private`, separated by commas or spaces. */
export function blockedAddresses(value: string): string | undefined {
  const words = value.split(/[\s,]+/).filter((word) => word !== '' && word.toLowerCase() !== 'private');
  return words.map(network).find((problem) => problem !== undefined);
}

/** A URL of http or https, whose scheme may be left out; without a path. */
export function proxyUrl(value: string): string | undefined {
  const text = value.trim();
  if (text === '') return undefined;
  const problem = 'a proxy is host:port, or a URL of http or https with nothing behind the port';
  try {
    const { protocol, pathname, search, username } = new URL(text.includes('://') ? text : `http://${text}`);
    const isOne = ['http:', 'https:'].includes(protocol) && pathname === '/' && search === '' && username === '';
    return isOne ? undefined : problem;
  } catch {
    return problem;
  }
}

/** `*`, or regular expressions separated by commas. */
export function urlPatterns(value: string): string | undefined {
  const patterns = value.split(',').map((one) => one.trim());
  return patterns
    .filter((one) => one !== '*' && one !== '')
    .map(regularExpression)
    .find((problem) => problem !== undefined);
}
