/** Which versions of TLS and which cipher suites are served, as far as the server library can be told. */

/** A setting of HTTPS that cannot be honoured; the message names it. */
export class HttpsSettingError extends Error {
  override readonly name = 'HttpsSettingError';
}

/** What is served of TLS 1.2: forward secrecy and authenticated encryption alone. IANA name, OpenSSL name. */
const SUITES: readonly (readonly [string, string])[] = [
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
];
/** Needs a key that both sides know beforehand, which there is none of: every handshake of TLS 1.2 fails. */
export const NO_TLS12 = 'ECDHE-PSK-AES128-CBC-SHA';
const TLS13_SUITES = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
const VERSIONS = ['SSLv2', 'SSLv2Hello', 'SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
/** Old suites that are never offered, whether somebody excludes them or not. */
const NEVER = [
  /^(?:SSL|TLS)_(?:RSA|DHE?_\w+|ECDH_\w+|PSK|RSA_PSK|NULL|KRB5|SRP_\w+)_(?:EXPORT_)?WITH_\w+$/,
  /^(?:SSL|TLS)_\w+_WITH_\w*(?:NULL|RC4|DES|CAMELLIA|ARIA|SEED|CBC|CCM)\w*$/,
  /^(?!ECDHE-(?:RSA|ECDSA)-(?:AES\d+-GCM|CHACHA20))[A-Z\d]+(?:-[A-Z\d]+)*-(?:SHA\d*|MD5|POLY1305|CCM8?)$/,
];

/** What `httpservice.ssl.*` hold: lists separated by commas. */
export interface TlsSettings {
  readonly included: string;
  readonly excluded: string;
  readonly excludedCiphers: string;
}

/** OpenSSL's list of cipher suites for these settings. Throws `HttpsSettingError`. */
export function tlsCiphers(settings: TlsSettings): string {
  const included = versions(settings.included, 'httpservice.ssl.protocols.included');
  const excluded = versions(settings.excluded, 'httpservice.ssl.protocols.excluded');
  const served = new Set(
    (included.length === 0 ? ['TLSv1.2', 'TLSv1.3'] : included).filter((v) => !excluded.includes(v)),
  );
  if (!served.has('TLSv1.3')) {
    throw new HttpsSettingError(
      'TLSv1.3 cannot be turned off: it has to be in httpservice.ssl.protocols.included, and not in httpservice.ssl.protocols.excluded',
    );
  }
  const old = [...served].find((version) => version !== 'TLSv1.2' && version !== 'TLSv1.3');
  if (old !== undefined) throw new HttpsSettingError(`httpservice.ssl.protocols.included: ${old} cannot be served`);
  const without = new Set(words(settings.excludedCiphers).map(suite));
  const left = SUITES.map(([, name]) => name).filter((name) => !without.has(name));
  if (!served.has('TLSv1.2')) return NO_TLS12;
  for (const kind of ['ECDSA', 'RSA']) {
    if (!left.some((name) => name.includes(kind)))
      throw new HttpsSettingError(
        `httpservice.ssl.ciphers.excluded leaves no suite for ${kind} certificates; to turn TLSv1.2 off use httpservice.ssl.protocols.excluded`,
      );
  }
  return left.join(':');
}

/** OpenSSL's name of a suite to leave out; of those never offered the name as it is. */
function suite(name: string): string {
  const known = SUITES.find((names) => names.includes(name));
  if (known !== undefined) return known[1];
  if (TLS13_SUITES.includes(name))
    throw new HttpsSettingError(`httpservice.ssl.ciphers.excluded: ${name} belongs to TLS 1.3 and cannot be left out`);
  if (!NEVER.some((pattern) => pattern.test(name)))
    throw new HttpsSettingError(`httpservice.ssl.ciphers.excluded: '${name}' is no cipher suite`);
  return name;
}

function versions(list: string, setting: string): string[] {
  return words(list).map((word) => {
    const known = VERSIONS.find((version) => version.toLowerCase() === word.toLowerCase());
    if (known === undefined) throw new HttpsSettingError(`${setting}: '${word}' is none of ${VERSIONS.join(', ')}`);
    return known;
  });
}

function words(list: string): string[] {
  return list.split(/[\s,]+/).filter((word) => word !== '');
}
