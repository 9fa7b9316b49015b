/** What crosses between a front-end thread and the main thread: arrays of these, one array a turn of the loop (docs/design/threads.md, 2). */
import type { HttpPolicyOptions } from '../policy.js';
import type { Certificate } from '../tls/certificate.js';

/** Bytes of a body or an answer that may be on their way, or wait on the other side, of one exchange. */
export const WINDOW = 256 * 1024;
/** Longer pieces are cut: what is taken is told a piece at a time. */
export const PIECE = 64 * 1024;
/** No smaller piece is cut off while more may be sent soon. */
export const SMALLEST = 16 * 1024;

/** Bytes: up to some KB as a text of Latin-1, which costs less than an array of them, larger ones as an array that is handed over. */
export type Packed = string | Uint8Array;

export type ToMain =
  | [
      kind: 'open',
      id: number,
      method: string,
      path: string,
      query: string,
      /** Names and values in turn, by line ends: no value has one. */
      headers: string,
      remoteAddress: string,
      connectionId: number,
      /** Of `BITS`. */
      bits: number,
      contentLength: number,
      /** All of it with `BITS.whole`, else empty. */
      body: Packed,
    ]
  | [kind: 'body', id: number, bytes: Packed, last: boolean]
  | [kind: 'failed', id: number, status: number, message: string, headers: Readonly<Record<string, string>>]
  | [kind: 'taken', id: number, bytes: number]
  | [kind: 'local', id: number, address: string]
  | [kind: 'gone', id: number]
  | [kind: 'told', order: number, problem: string];

/** What `bits` says of a request. */
export const BITS = { tls: 1, chunked: 2, closes: 4, upgradable: 8, whole: 16 } as const;

export type ToThread =
  /** `raw`: `payload` is bytes in Latin-1, and no text. */
  | [kind: 'answer', id: number, status: number, head: string, closes: boolean, payload: Packed, raw: boolean]
  /** `length` -1: unknown. */
  | [kind: 'begin', id: number, status: number, head: string, closes: boolean, length: number]
  | [kind: 'piece', id: number, payload: Packed, raw: boolean]
  | [kind: 'end', id: number]
  | [kind: 'break', id: number]
  | [kind: 'read', id: number, bytes: number]
  | [kind: 'upgrade', id: number, head: string]
  | [kind: 'ping', id: number]
  | [kind: 'close', id: number, code: number, reason: string]
  | [kind: 'where', id: number]
  | [kind: 'tell', order: number, order: Order];

/** What holds for all threads from the moment on in which all have answered. */
export type Order =
  | { readonly kind: 'policy'; readonly policy: HttpPolicyOptions }
  | { readonly kind: 'certificate'; readonly certificate: Certificate }
  | { readonly kind: 'stop'; readonly graceMs: number };
