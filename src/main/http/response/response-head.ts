import { STATUS_CODES } from 'node:http';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Framing is the server's business: a handler that set these could make one response look like two. */
const RESERVED = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding', 'upgrade']);
const MAX_KNOWN_NAMES = 1000;

const lowerNames = new Map<string, string>();
const statusLines = new Map<number, string>();

/** Lower case of a valid header name; throws for one that must not be set. */
function checkedName(name: string): string {
  const known = lowerNames.get(name);
  if (known !== undefined) return known;
  if (!TOKEN.test(name)) throw new TypeError(`Invalid header name ${JSON.stringify(name)}`);
  const lower = name.toLowerCase();
  if (RESERVED.has(lower)) throw new TypeError(`Header ${name} belongs to the server`);
  if (lowerNames.size < MAX_KNOWN_NAMES) lowerNames.set(name, lower);
  return lower;
}

/** What is wrong with a response header; undefined when it can be sent. */
export function checkHeader(name: string, value: string): string | undefined {
  try {
    checkedName(name);
  } catch (error) {
    return (error as Error).message;
  }
  return CONTROL.test(value) ? 'its value has control characters' : undefined;
}

function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${String(status)} ${STATUS_CODES[status] ?? 'Unknown'}`;
    statusLines.set(status, line);
  }
  return line;
}

/** In the place of two lists together that have a name in common. */
const COLLIDE = Symbol('collide');

/**
 * Headers that many responses have alike, checked and written once. What they collide with is worked out once, too.
 */
export class PreparedHeaders {
  readonly text: string;
  readonly entries: readonly (readonly [name: string, value: string])[];
  readonly #values = new Map<string, string>();
  #defaults: DefaultHeaders | undefined;
  #beside = '';
  #status = 0;
  #whole = '';
  /** Together with others that were set behind these. */
  readonly #together = new WeakMap<PreparedHeaders, PreparedHeaders | typeof COLLIDE>();
  #varies: ReadonlySet<string> | undefined;

  constructor(headers: Readonly<Record<string, string>>) {
    this.entries = Object.entries(headers);
    const head = new ResponseHead();
    for (const [name, value] of this.entries) {
      head.set(name, value);
      this.#values.set(name.toLowerCase(), value);
    }
    this.text = head
      .lines()
      .map(({ line }) => line)
      .join('');
  }

  has(lower: string): boolean {
    return this.#values.has(lower);
  }

  get(lower: string): string | undefined {
    return this.#values.get(lower);
  }

  /** These and others that have none of the same names; undefined: they have. */
  with(others: PreparedHeaders): PreparedHeaders | undefined {
    let both = this.#together.get(others);
    if (both === undefined) {
      const collide = others.entries.some(([name]) => this.has(name.toLowerCase()));
      both = collide ? COLLIDE : new PreparedHeaders(Object.fromEntries([...this.entries, ...others.entries]));
      this.#together.set(others, both);
    }
    return both === COLLIDE ? undefined : both;
  }

  /** Whether they say that the response depends on this request header (in lower case). */
  varies(lower: string): boolean {
    this.#varies ??= new Set(listOf(this.get('vary') ?? ''));
    return this.#varies.has(lower);
  }

  /** What is left of the defaults beside these. */
  beside(defaults: DefaultHeaders): string {
    if (this.#defaults !== defaults) {
      this.#defaults = defaults;
      this.#status = 0;
      const left = defaults.entries.filter(({ lower }) => !this.has(lower));
      this.#beside = left.map(({ line }) => line).join('');
    }
    return this.#beside;
  }

  /** The whole head of a response that has no other headers. */
  alone(status: number, defaults: DefaultHeaders): string {
    const beside = this.beside(defaults);
    if (this.#status !== status) {
      this.#status = status;
      this.#whole = statusLine(status) + this.text + beside;
    }
    return this.#whole;
  }
}

/** The elements of a list of names, in lower case. */
function listOf(value: string): string[] {
  return value.toLowerCase().split(/\s*,\s*/);
}

/** Headers that every response gets unless its handler sets the same name. */
export class DefaultHeaders {
  readonly entries: readonly { lower: string; name: string; value: string; line: string }[];
  readonly text: string;

  constructor(headers: Readonly<Record<string, string>>) {
    const head = new ResponseHead();
    for (const [name, value] of Object.entries(headers)) head.set(name, value);
    this.entries = head.lines();
    this.text = this.entries.map((entry) => entry.line).join('');
  }
}

/**
 * Status line and headers of one response, kept as text: uWebSockets.js is handed the whole head in one call, since
 * each call into it costs more than joining the strings here.
 */
export class ResponseHead {
  private names: string[] = [];
  private values: string[] = [];
  private written: string[] = [];
  private prepared: PreparedHeaders | undefined;

  /**
   * Replaces an earlier value of the same name. Of `Set-Cookie` a response may have many, one for each cookie (RFC 6265,
   * 4.1.1).
   */
  set(name: string, value: string): void {
    const lower = checkedName(name);
    if (CONTROL.test(value)) throw new TypeError(`Invalid value of header ${name}`);
    if (this.prepared?.has(lower) === true) this.dissolve();
    const at = lower === 'set-cookie' ? this.cookieAt(value) : this.names.indexOf(lower);
    if (at >= 0) {
      this.values[at] = value;
      return;
    }
    this.names.push(lower);
    this.written.push(name);
    this.values.push(value);
  }

  /** Sets all of them. `Vary` is added to what is there. */
  setAll(headers: PreparedHeaders): void {
    if (this.prepared === undefined && !this.names.some((name) => headers.has(name))) {
      this.prepared = headers;
      return;
    }
    const both = this.names.length === 0 ? this.prepared?.with(headers) : undefined;
    if (both !== undefined) {
      this.prepared = both;
      return;
    }
    for (const [name, value] of headers.entries) {
      if (name.toLowerCase() === 'vary') this.vary(value);
      else this.set(name, value);
    }
  }

  /** The response depends on this request header. */
  vary(name: string): void {
    if (this.prepared?.varies(name.toLowerCase()) === true) return;
    const known = this.get('vary');
    if (known === undefined) this.set('Vary', name);
    else if (known !== '*' && !listOf(known).includes(name.toLowerCase())) this.set('Vary', `${known}, ${name}`);
  }

  /** The body is another one than what the validator was made of, though it means the same (RFC 9110, 8.8.1). */
  weaken(): void {
    const etag = this.get('etag');
    if (etag?.startsWith('"') === true) this.set('ETag', `W/${etag}`);
  }

  get(lower: string): string | undefined {
    const at = this.names.indexOf(lower);
    return at < 0 ? this.prepared?.get(lower) : this.values[at];
  }

  /** Takes a header out, to be expressed by other means (Content-Length). */
  take(lower: string): string | undefined {
    if (this.prepared?.has(lower) === true) this.dissolve();
    const at = this.names.indexOf(lower);
    if (at < 0) return undefined;
    this.names.splice(at, 1);
    this.written.splice(at, 1);
    return this.values.splice(at, 1)[0];
  }

  lines(): { lower: string; name: string; value: string; line: string }[] {
    return this.names.map((lower, i) => {
      const name = this.written[i] ?? lower;
      const value = this.values[i] ?? '';
      return { lower, name, value, line: `\r\n${name}: ${value}` };
    });
  }

  /** `200 OK` and the headers, as `writeStatus` of uWebSockets.js takes them. */
  text(status: number, defaults: DefaultHeaders): string {
    const { prepared } = this;
    if (prepared !== undefined && this.names.length === 0) return prepared.alone(status, defaults);
    let text = statusLine(status);
    if (prepared !== undefined) text += prepared.text;
    for (let i = 0; i < this.names.length; i++) text += `\r\n${this.written[i] ?? ''}: ${this.values[i] ?? ''}`;
    let collides = false;
    for (const entry of defaults.entries) if (this.names.includes(entry.lower)) collides = true;
    if (!collides) return text + (prepared === undefined ? defaults.text : prepared.beside(defaults));
    for (const { lower, line } of defaults.entries) {
      if (!this.names.includes(lower) && prepared?.has(lower) !== true) text += line;
    }
    return text;
  }

  /** Names and values in turn, without what belongs to the server. */
  pairs(defaults: DefaultHeaders): string[] {
    const { prepared } = this;
    const pairs: string[] = [];
    for (const [name, value] of prepared?.entries ?? []) pairs.push(name, value);
    for (let i = 0; i < this.names.length; i++) pairs.push(this.written[i] ?? '', this.values[i] ?? '');
    for (const { lower, name, value } of defaults.entries) {
      if (!this.names.includes(lower) && prepared?.has(lower) !== true) pairs.push(name, value);
    }
    return pairs;
  }

  /** From here on they are headers as any others. */
  private dissolve(): void {
    const headers = this.prepared;
    this.prepared = undefined;
    for (const [name, value] of headers?.entries ?? []) this.set(name, value);
  }

  private cookieAt(cookie: string): number {
    const equals = cookie.indexOf('=');
    if (equals < 0) return -1;
    const start = cookie.slice(0, equals + 1);
    return this.values.findIndex((value, i) => this.names[i] === 'set-cookie' && value.startsWith(start));
  }
}
