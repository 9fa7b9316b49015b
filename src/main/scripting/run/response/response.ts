/** What scripts set of the answer to their request (docs/interface/script-runtime.md 4.1). */
import { checkHeader, cookieLine, type CookieOptions, type Exchange } from '../../../http/index.js';
import { ScriptError } from '../../language/errors.js';
import { ResponseBody } from './response-body.js';

/** Headers and cookies that one run may set. */
const MOST = 200;
const LONGEST_VALUE = 16 * 1024;
/** They say how long the body is and how it is packed, which scripts do not know. */
const FRAMING = new Set(['content-length', 'content-encoding', 'trailer', 'te']);

export class ScriptResponse {
  /** Undefined: that of the result. */
  status: number | undefined;
  /** Bytes in place of the result; undefined: the answer has a form of its own, which they would break. */
  body: ResponseBody | undefined;
  /** By name in lower case; null: it is to be left out. */
  private readonly headers = new Map<string, { readonly name: string; readonly value: string } | null>();
  /** Values of `Set-Cookie`. */
  private readonly cookies: string[] = [];

  /** Whether scripts have left the answer as it is. */
  get isUntouched(): boolean {
    return this.status === undefined && this.body === undefined && this.headers.size + this.cookies.length === 0;
  }

  /** Another one when scripts have changed the head of the answer. */
  get head(): string {
    return JSON.stringify([this.status, [...this.headers.values()], this.cookies]);
  }

  /**
   * Sets a header; `override` replaces what scripts set before, else values are joined as a list. Throws `ScriptError` 422 for what
   * cannot be sent, and for headers that belong to the server.
   */
  setHeader(name: string, value: string, override: boolean): void {
    const lower = name.toLowerCase();
    const problem = FRAMING.has(lower) ? `Header ${name} belongs to the server` : checkHeader(name, value);
    if (problem !== undefined) throw new ScriptError(422, `The header cannot be set: ${problem}.`);
    const before = this.headers.get(lower);
    const joined = before === undefined || before === null || override ? value : `${before.value}, ${value}`;
    if (joined.length > LONGEST_VALUE || (before === undefined && this.headers.size >= MOST)) {
      throw new ScriptError(422, 'The script sets too many headers, or too long ones.');
    }
    this.headers.set(lower, { name, value: joined });
  }

  removeHeader(name: string): void {
    if (this.headers.has(name.toLowerCase()) || this.headers.size < MOST) this.headers.set(name.toLowerCase(), null);
  }

  /** The value that scripts set; undefined: they set none. */
  header(lower: string): string | undefined {
    return this.headers.get(lower)?.value;
  }

  /** Whether scripts want a header of the server to be left out. */
  isRemoved(lower: string): boolean {
    return this.headers.get(lower) === null;
  }

  /** Throws `ScriptError` 422 for a cookie that cannot be sent to who asks. */
  setCookie(exchange: Exchange, name: string, value: string, options: CookieOptions): void {
    if (this.cookies.length >= MOST) throw new ScriptError(422, 'The script sets too many cookies.');
    try {
      this.cookies.push(cookieLine(exchange, name, value, options));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new ScriptError(422, `The cookie cannot be set: ${error.message}.`);
    }
  }

  /** The answer has no form but what scripts give it (`returnRawResult`). */
  takeBody(): void {
    this.body ??= new ResponseBody();
  }

  /** Sends what scripts wrote, with their status and headers. Rejects when the answer breaks off. */
  async sendBody(exchange: Exchange, body: ResponseBody): Promise<void> {
    exchange.setHeader('Content-Type', 'application/octet-stream');
    exchange.setHeader('X-Content-Type-Options', 'nosniff');
    this.applyTo(exchange);
    await body.sendTo(exchange);
  }

  /**
   * Status, headers and cookies for an answer whose body is still to be sent. To be called behind the headers that the server sets
   * itself; `isRemoved` says which of those scripts do not want.
   */
  applyTo(exchange: Exchange): void {
    if (this.status !== undefined) exchange.status = this.status;
    for (const header of this.headers.values()) if (header !== null) exchange.setHeader(header.name, header.value);
    for (const cookie of this.cookies) exchange.setHeader('Set-Cookie', cookie);
  }
}
