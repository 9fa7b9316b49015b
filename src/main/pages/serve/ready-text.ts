/** A page that is made already, as it is sent: compressed once. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { compressible, PreparedHeaders, type Exchange } from '../../http/index.js';

const compress = promisify(gzip);
/** Smaller ones are not compressed. */
const COMPRESS_FROM = 256;

export class ReadyText {
  readonly plain: Buffer;
  #packed: Promise<Buffer> | Buffer | undefined;

  constructor(
    text: string,
    private readonly headers: PreparedHeaders,
  ) {
    this.plain = Buffer.from(text);
    if (this.plain.length >= COMPRESS_FROM && compressible(headers.get('content-type')))
      this.#packed = compress(this.plain);
  }

  /** Its headers with others that it has from now on, for `send`. */
  headersWith(more: Readonly<Record<string, string>>): PreparedHeaders {
    const vary = this.#packed === undefined ? {} : { Vary: 'Accept-Encoding' };
    return new PreparedHeaders({ ...Object.fromEntries(this.headers.entries), ...more, ...vary });
  }

  /** `more`: what sets headers of this answer alone, or all that it has. `packs`: the client takes gzip. */
  send(exchange: Exchange, packs: boolean, more: (() => void) | PreparedHeaders): void | Promise<void> {
    const packed = this.#packed;
    const begin = (): void => {
      if (more instanceof PreparedHeaders) {
        exchange.setHeaders(more);
        return;
      }
      exchange.setHeaders(this.headers);
      more();
      if (packed !== undefined) exchange.vary('Accept-Encoding');
    };
    if (packed === undefined || !packs) {
      begin();
      exchange.end(this.plain, true);
      return;
    }
    const finish = (bytes: Buffer): void => {
      begin();
      exchange.setHeader('Content-Encoding', 'gzip');
      exchange.end(bytes, true);
    };
    if (!(packed instanceof Promise)) {
      finish(packed);
      return;
    }
    return packed.then((bytes) => {
      this.#packed = bytes;
      finish(bytes);
    });
  }
}
