/** Addresses of databases as Java writes them: `jdbc:postgresql://host:port/database?user=...` */
import { ScriptError } from '../../language/errors.js';

export interface JdbcUrl {
  readonly kind: 'postgresql' | 'mysql';
  /** Without user, password and options. */
  readonly url: URL;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** Encrypted; `checked`: only with a server whose certificate is right. */
  readonly tls: { readonly checked: boolean } | undefined;
  /** Options that mean nothing here. */
  readonly unknown: readonly string[];
}

const KINDS = new Map([
  ['postgresql:', { kind: 'postgresql', port: 5432 } as const],
  ['mysql:', { kind: 'mysql', port: 3306 } as const],
  ['mariadb:', { kind: 'mysql', port: 3306 } as const],
]);
const TLS_OPTIONS: ReadonlySet<string> = new Set(['ssl', 'sslmode', 'usessl']);
const LONGEST = 10_000;

/** Throws `ScriptError` 422 for what is none, or of a database that scripts cannot talk to. */
export function parseJdbcUrl(text: string, user: string, password: string): JdbcUrl {
  const rest = /^jdbc:(.*)$/s.exec(text.trim())?.[1] ?? '';
  const known = KINDS.get(/^[a-z]+:/.exec(rest)?.[0] ?? '');
  if (known === undefined || text.length > LONGEST) {
    throw new ScriptError(
      422,
      'jdbc() talks to servers: its URL begins with jdbc:postgresql://, jdbc:mysql:// or jdbc:mariadb://. Files of databases on this ' +
        'machine (jdbc:sqlite: and the like) are not opened.',
    );
  }
  let url: URL;
  try {
    url = new URL(rest);
  } catch {
    throw new ScriptError(
      422,
      'The URL of jdbc() cannot be read: it needs one host, and perhaps port, database and options.',
    );
  }
  const options = new URLSearchParams(url.search);
  const value = (name: string): string => options.get(name) ?? '';
  let tls: JdbcUrl['tls'];
  const unknown: string[] = [];
  for (const [name, given] of options) {
    if (name === 'user' || name === 'password') continue;
    if (!TLS_OPTIONS.has(name.toLowerCase())) unknown.push(name);
    else if (/^(?:true|verify[-_].*)$/i.test(given)) tls = { checked: true };
    else if (/^(?:require|required|trust)$/i.test(given)) tls ??= { checked: false };
    else if (!/^(?:false|disable|disabled)$/i.test(given)) unknown.push(`${name}=${given.slice(0, 40)}`);
  }
  const database = decoded(url.pathname.replace(/^\//, ''));
  const own = {
    user: user === '' ? value('user') || decoded(url.username) : user,
    password: password === '' ? value('password') || decoded(url.password) : password,
  };
  url.search = url.username = url.password = url.hash = '';
  return { ...known, url, database, ...own, tls, unknown };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
