/**
 * Bytes that scripts write into the answer to their request (docs/interface/script-runtime.md 4.3). They wait until the transaction of the scripts has
 * ended: one that fails can still be answered with its error, and nobody is told of what was taken back.
 */
import { Spool, SpoolFull, type SpoolRoom } from '../../../../shared/spool.js';
import type { Exchange } from '../../../http/index.js';
import { ScriptError } from '../../language/errors.js';
import type { ScriptObject } from '../../language/values.js';

const MB = 1024 * 1024;
/**
 * Bytes that all answers together keep in memory, and that one does; more wait in temporary files until slow clients have them, which
 * have a limit together, too.
 */
const room: SpoolRoom = { free: 16 * MB, onDisk: 4096 * MB };
const IN_MEMORY = MB / 4;

/** Keyword `response`: the answer to the request, for functions that write bytes. There is nothing to be seen in it. */
export const RESPONSE: ScriptObject = {
  isScriptObject: true,
  title: 'The response',
  get: () => null,
  keys: () => [],
};

export class ResponseBody {
  readonly #spool = new Spool(room, IN_MEMORY);
  /** Something was written, if only the empty text: the answer is this. */
  isWritten = false;

  /**
   * Adds bytes to the end, all of them or, when the source fails, none. `most`: megabytes that one answer may have. Throws
   * `ScriptError` 413 for more, 503 while all answers together are too much, and what the source throws.
   */
  async add(bytes: AsyncIterable<Buffer>, most: number): Promise<void> {
    const spool = this.#spool;
    const before = spool.size;
    try {
      for await (const piece of bytes) {
        if (spool.size + piece.length > most * MB) {
          throw new ScriptError(413, `The answer is larger than ${String(most)} MB (uploadservlet.maxfilesize).`);
        }
        await spool.add(piece);
      }
      this.isWritten = true;
    } catch (error) {
      spool.cut(before);
      if (error instanceof SpoolFull) throw new ScriptError(503, 'Too much waits to be sent to other clients.');
      throw error;
    }
  }

  /** Sends it, behind the headers that are set already. Rejects when it breaks off: the connection has to be cut then. */
  async sendTo(exchange: Exchange): Promise<void> {
    const { size } = this.#spool;
    if (size === 0) {
      exchange.end();
      return;
    }
    if (exchange.method === 'HEAD') {
      // How long it is when it is compressed on its way is known when it has been sent.
      if (exchange.header('accept-encoding') !== '') return exchange.startStream().end();
      exchange.setHeader('Content-Length', String(size));
      exchange.end();
      return;
    }
    const out = exchange.startStream(size);
    for await (const piece of this.#spool.pieces()) {
      await out.write(piece);
      if (exchange.aborted) return;
    }
    await out.end();
  }

  /** It is not needed any more. */
  release(): Promise<void> {
    return this.#spool.release();
  }
}
