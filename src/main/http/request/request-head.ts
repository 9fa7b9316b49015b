import { isHost } from './host.js';

/** Header lines of one request; the parsers stop at 98 or later. */
const MAX_HEADERS = 96;
const DIGITS = /^\d{1,15}$/;
/** A value may have tabs, and bytes above 127, but nothing that a terminal or another server takes for a command. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;

/** What the transport has to know of a request before anybody handles it. */
export interface RequestHead {
  /** Status and message with which it is refused, and its connection closed; 0: it is not. */
  readonly status: number;
  readonly problem: string;
  /** -1 when unknown or none. */
  readonly contentLength: number;
  readonly chunked: boolean;
  /** The client wants the connection closed after the answer. */
  readonly closes: boolean;
}

/** One object for all requests: to be read before the next head is looked at. */
const found = { status: 0, problem: '', contentLength: -1, chunked: false, closes: false };

/**
 * Looks at a request head as RFC 9112 wants it: whatever two servers could read in two ways is refused. `headers`: names in lower
 * case and values in turn. The result holds until the next call.
 */
export function readRequestHead(
  method: string,
  target: string,
  headers: readonly string[],
  isHttp10 = false,
): RequestHead {
  found.status = 0;
  found.problem = '';
  found.contentLength = -1;
  found.chunked = false;
  found.closes = false;
  let hosts = 0;
  let codings = 0;
  if (headers.length > MAX_HEADERS * 2) return refuse(431, 'The request has too many headers.');
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    const value = headers[i + 1] ?? '';
    if (name === '') return refuse(400, 'A header has no name.');
    if (CONTROL.test(value)) return refuse(400, 'A header has control characters.');
    switch (name) {
      case 'host':
        if (++hosts > 1) return refuse(400, 'The request has more than one Host header.');
        if (!isHost(value)) return refuse(400, 'The Host header is no host name.');
        break;
      case 'content-length':
        if (found.contentLength >= 0) return refuse(400, 'The request has more than one Content-Length header.');
        if (!DIGITS.test(value)) return refuse(400, 'The Content-Length header is no number.');
        found.contentLength = Number(value);
        break;
      case 'transfer-encoding':
        if (++codings > 1) return refuse(400, 'The request has more than one Transfer-Encoding header.');
        if (value.toLowerCase() !== 'chunked') return refuse(400, 'The only Transfer-Encoding is chunked.');
        found.chunked = true;
        break;
      case 'connection':
        if (CLOSE.test(value)) found.closes = true;
        break;
      case 'expect':
        if (value.toLowerCase() !== '100-continue') return refuse(417, 'The only Expect is 100-continue.');
        break;
    }
  }
  if (hosts === 0 && !isHttp10) return refuse(400, 'The request has no Host header.');
  if (found.chunked && found.contentLength >= 0)
    return refuse(400, 'The request has both Content-Length and Transfer-Encoding.');
  // A server of that version in between does not know of chunks.
  if (found.chunked && isHttp10) return refuse(400, 'HTTP/1.0 has no Transfer-Encoding.');
  if (CONTROL.test(target)) return refuse(400, 'The request target has control characters.');
  // RFC 9112, 3.2: it has no fragment. Who finds one may cut it off, and has seen another path then.
  if (target.includes('#')) return refuse(400, 'The request target has a fragment.');
  return TOKEN.test(method) ? found : refuse(400, 'The method is no name.');
}

/** What `readRequestHead` says of a head that need not be looked at. */
export function refusedHead(status: number, problem: string): RequestHead {
  return { status, problem, contentLength: -1, chunked: false, closes: true };
}

function refuse(status: number, problem: string): RequestHead {
  found.status = status;
  found.problem = problem;
  return found;
}
