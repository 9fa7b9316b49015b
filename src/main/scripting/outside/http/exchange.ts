/** One request to another server, and the head of its answer. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable, pipeline } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { ScriptError } from '../../language/errors.js';
import { routeThrough, type Proxy, type Route } from './proxy.js';
import type { Targets } from './targets.js';

/** What is sent; it can be read from its beginning as often as it is sent. */
export interface OutboundBody {
  /** Bytes. */
  readonly size: number;
  /** Content type for requests whose script set none. */
  readonly type: string;
  /** It comes out of a storage: credentials have to be sent with the first request. */
  readonly isStreamed: boolean;
  bytes(signal: AbortSignal): AsyncIterable<Buffer> | Iterable<Buffer>;
}

export interface ExchangeOptions {
  readonly method: string;
  readonly url: URL;
  /** By name as it is sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OutboundBody | undefined;
  readonly targets: Targets;
  readonly proxy: Proxy | undefined;
  /** Until the connection stands, and of silence (ms); 0: no limit. */
  readonly connectTime: number;
  readonly silence: number;
  readonly checksCertificates: boolean;
  readonly signal: AbortSignal;
}

/** The source of a streamed body failed, not the network. */
class SourceError extends Error {
  constructor(override readonly cause: unknown) {
    super('the source of the body failed');
  }
}

/** Resolves with the answer, its body still unread: destroy it when it is not to be read. */
export async function exchange(options: ExchangeOptions): Promise<IncomingMessage> {
  const { method, body, signal, proxy } = options;
  const route = proxy === undefined ? directRoute(options) : await routeThrough(proxy, options);
  const { isSecure } = route;
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = (isSecure ? httpsRequest : httpRequest)({ ...route.options, method, signal });
    let answer: IncomingMessage | undefined;
    const giveUp = (why: string): void => {
      (answer ?? sent).destroy(new ScriptError(422, why));
    };
    const connecting =
      options.connectTime === 0
        ? undefined
        : setTimeout(() => giveUp(`no connection within ${seconds(options.connectTime)}`), options.connectTime);
    const connected = (): void => clearTimeout(connecting);
    sent.on('socket', (socket) => {
      // A tunnel stands already.
      if (!isSecure && !socket.connecting) connected();
      else socket.once(isSecure ? 'secureConnect' : 'connect', connected);
    });
    sent.setTimeout(options.silence, () => giveUp(`nothing came for ${seconds(options.silence)}`));
    sent.on('response', (response) => {
      answer = response;
      resolve(response);
    });
    // An answer may come before the body is sent, and end the connection: then it counts.
    sent.on('error', reject);
    sent.on('close', () => {
      connected();
      reject(new Error('the connection ended without an answer'));
    });
    if (body === undefined) {
      sent.end();
      return;
    }
    const source = Readable.from(marked(body.bytes(signal)), { objectMode: false });
    pipeline(source, sent, (error) => {
      if (error instanceof SourceError) {
        reject(error.cause instanceof Error ? error.cause : error);
        sent.destroy();
      }
    });
  });
}

/** Straight to an address that was checked. */
function directRoute({ url, headers, targets, checksCertificates }: ExchangeOptions): Route {
  const isSecure = url.protocol === 'https:';
  return {
    isSecure,
    options: {
      ...urlToHttpOptions(url),
      headers,
      // A connection of its own, which ends with the call (docs/interface/script-runtime.md 5.1).
      agent: false,
      lookup: targets.lookup,
      ...(isSecure ? { rejectUnauthorized: checksCertificates } : {}),
    },
  };
}

/** Errors of the source, told from those of the network. */
async function* marked(bytes: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const piece of bytes) if (piece.length > 0) yield piece;
  } catch (error) {
    throw new SourceError(error);
  }
}

function seconds(time: number): string {
  return `${String(time / 1000)} s`;
}
