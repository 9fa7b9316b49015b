/** A page that is made already, as it is sent: compressed once. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { compressible, type Exchange, type PreparedHeaders } from '../../http/index.js';

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

  /** `setMore`: headers of this answer alone. `packs`: the client takes gzip. */
  send(exchange: Exchange, packs: boolean, setMore: () => void): void | Promise<void> {
    const packed = this.#packed;
    const begin = (): void => {
      exchange.setHeaders(this.headers);
      setMore();
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
