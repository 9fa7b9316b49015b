/** Addresses of MongoDB servers: `mongodb://user:password@host:port/database?options` */
import { ScriptError } from '../../language/errors.js';

export interface MongoUrl {
  /** Without user, password and options. */
  readonly url: URL;
  /** Absent: the server asks for none. */
  readonly auth: MongoAuth | undefined;
  /** Encrypted; `checked`: only with a server whose certificate is right. `named`: and is for its host. */
  readonly tls: { readonly checked: boolean; readonly named: boolean } | undefined;
  /** Options that mean nothing here. */
  readonly unknown: readonly string[];
}

export interface MongoAuth {
  readonly username: string;
  readonly password: string;
  /** The database that knows the user. */
  readonly source: string;
  readonly mechanism: 'DEFAULT' | 'SCRAM-SHA-1' | 'SCRAM-SHA-256';
}

const LONGEST = 10_000;
const MECHANISMS: readonly MongoAuth['mechanism'][] = ['DEFAULT', 'SCRAM-SHA-1', 'SCRAM-SHA-256'];
/** They would read files of this machine, or lead elsewhere. */
const REFUSED = /file|^(?:proxy|srv|loadbalanced|autoencryption|authmechanismproperties|mongodblog)/;
/** They say what is so anyway: one server, a connection for each call, nothing tried twice. */
const IGNORED = /^(?:directconnection|replicaset|appname|retryreads|retrywrites|maxpoolsize|minpoolsize)$/;

/** Throws `ScriptError` 422 for what is none, and for all that could lead to another place than its one host. No message holds it. */
export function parseMongoUrl(text: string): MongoUrl {
  // Behind the host it is one of a password, whose parts would be taken for a host and options.
  if (/^mongodb:\/\/[^/?#]*[/?#].*@/s.test(text.trim())) throw notEncoded();
  const [, hosts = ''] = /^mongodb:\/\/(?:[^/?#]*@)?([^@/?#]*)/.exec(text.trim()) ?? [];
  if (text.trim().startsWith('mongodb+srv:')) {
    throw refused('cannot follow mongodb+srv:// to the servers that it stands for: name one of them by mongodb://');
  }
  if (hosts.includes(',')) throw refused('needs the URL of one server: several hosts are not supported');
  if (hosts === '' || hosts.includes('%') || text.length > LONGEST) {
    throw refused('needs a URL that begins with mongodb:// and a host');
  }
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw refused('cannot read its URL: it needs one host, and perhaps a user, a port, a database and options');
  }
  const [options, unknown] = optionsOf(url);
  const flag = (name: string): boolean => options.get(name) === 'true';
  const isInsecure = flag('tlsinsecure');
  const tls = {
    checked: !isInsecure && !flag('tlsallowinvalidcertificates'),
    named: !isInsecure && !flag('tlsallowinvalidhostnames'),
  };
  const auth = url.username === '' ? undefined : authOf(url, options);
  url.search = url.username = url.password = url.hash = '';
  return { url, auth, tls: flag('tls') || flag('ssl') ? tls : undefined, unknown };
}

const TLS_OPTIONS: readonly string[] = [
  'tls',
  'ssl',
  'tlsinsecure',
  'tlsallowinvalidcertificates',
  'tlsallowinvalidhostnames',
];

/** By their names in lower case, and the names of those that mean nothing. */
function optionsOf(url: URL): [Map<string, string>, string[]] {
  const options = new Map<string, string>();
  const unknown: string[] = [];
  for (const [given, value] of url.searchParams) {
    const name = given.toLowerCase();
    if (REFUSED.test(name)) {
      throw refused(`does not take the option ${given.slice(0, 40)}: it would read a file or lead to another server`);
    }
    const isFlag = TLS_OPTIONS.includes(name);
    // What was meant to encrypt must not be left out silently.
    if (isFlag && value !== 'true' && value !== 'false') throw refused(`needs true or false for the option ${name}`);
    if (isFlag || name === 'authsource' || name === 'authmechanism') options.set(name, value);
    else if (!IGNORED.test(name)) unknown.push(given);
  }
  return [options, unknown];
}

function authOf({ username, password, pathname }: URL, options: ReadonlyMap<string, string>): MongoAuth {
  const wanted = options.get('authmechanism') ?? 'DEFAULT';
  const mechanism = MECHANISMS.find((one) => one === wanted);
  if (mechanism === undefined) throw refused('knows the mechanisms SCRAM-SHA-1 and SCRAM-SHA-256 only');
  const source = options.get('authsource') ?? decoded(pathname.slice(1));
  return {
    username: decoded(username),
    password: decoded(password),
    source: source === '' ? 'admin' : source,
    mechanism,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notEncoded();
  }
}

function notEncoded(): ScriptError {
  return refused('cannot read its URL: user, password, database and options have to be encoded (%40 for @, %2F for /)');
}

function refused(why: string): ScriptError {
  return new ScriptError(422, `mongodb() ${why}.`);
}
