/** One request to another server, and the head of its answer. */
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { ScriptError } from '../../language/errors.js';
import { directRoute } from './direct.js';
import { routeThrough, type Proxy } from './proxy.js';
import type { RoutedCall } from './route.js';

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

export interface ExchangeOptions extends RoutedCall {
  readonly method: string;
  readonly body: OutboundBody | undefined;
  readonly proxy: Proxy | undefined;
  /** Longest silence (ms); 0: no limit. */
  readonly silence: number;
}

/** What another server answers. */
export interface Answer {
  readonly status: number;
  /** Names as they came, each with its value behind it; a character a byte. */
  readonly rawHeaders: readonly string[];
  /** Value of a header (name in small letters), the first of its name; undefined when there is none. */
  header(name: string): string | undefined;
  /** To be destroyed when it is not to be read: the connection ends with it. */
  readonly body: Readable;
}

/** The source of a streamed body failed, not the network. */
class SourceError extends Error {
  constructor(override readonly cause: unknown) {
    super('the source of the body failed');
  }
}

/**
 * Sends a request over a connection of its own, which ends with the call (docs/interface/script-runtime.md 5.1). Resolves with the
 * answer, its body still unread.
 */
export async function exchange(options: ExchangeOptions): Promise<Answer> {
  const { method, url, body, signal, proxy, connectTime, silence } = options;
  let timer: NodeJS.Timeout | undefined;
  const connected = (): void => clearTimeout(timer);
  const { dispatcher, origin, headers } = await (proxy === undefined
    ? directRoute(options, connected)
    : routeThrough(proxy, options, connected));
  const end = (): void => {
    connected();
    // Nothing is waited for that could still fail.
    dispatcher.destroy().catch(() => undefined);
  };
  let late: ScriptError | undefined;
  if (connectTime > 0) {
    timer = setTimeout(() => {
      late = new ScriptError(422, `no connection within ${seconds(connectTime)}`);
      end();
    }, connectTime);
  }
  try {
    const response = await dispatcher.request({
      origin,
      path: url.pathname + url.search,
      method,
      headers,
      body: body === undefined ? null : Readable.from(marked(body.bytes(signal)), { objectMode: false }),
      signal,
      headersTimeout: silence,
      bodyTimeout: silence,
      responseHeaders: 'raw',
    });
    return answerOf(response, silence, end);
  } catch (error) {
    end();
    throw late ?? understood(error, silence);
  }
}

function answerOf({ statusCode, headers, body }: Dispatcher.ResponseData, silence: number, end: () => void): Answer {
  // As it was asked for, which the types don't tell.
  const rawHeaders = headers as IncomingHttpHeaders & string[];
  // Silence has words of its own.
  const read = Readable.from(understandable(body, silence), { objectMode: false });
  // Whoever reads is told; one who does not read does not want to know.
  read.on('error', () => undefined);
  body.on('error', () => undefined);
  read.on('close', () => {
    body.destroy();
    end();
  });
  return {
    status: statusCode,
    rawHeaders,
    header: (name) => {
      const at = rawHeaders.findIndex((one, i) => i % 2 === 0 && one.toLowerCase() === name);
      return at < 0 ? undefined : rawHeaders[at + 1];
    },
    body: read,
  };
}

async function* understandable(body: AsyncIterable<Buffer>, silence: number): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw understood(error, silence);
  }
}

/** What went wrong, without what the client has wrapped around it. */
function understood(error: unknown, silence: number): unknown {
  if (error instanceof SourceError) return error.cause;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new ScriptError(422, `nothing came for ${seconds(silence)}`);
  }
  const refused = error instanceof Error ? /^Proxy response \((\d+)\)|Required \((407)\)$/.exec(error.message) : null;
  if (refused !== null) {
    return new ScriptError(422, `the proxy answers with status ${refused[1] ?? refused[2] ?? ''}`);
  }
  return error;
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
