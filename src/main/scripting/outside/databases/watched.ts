import type { Socket } from 'node:net';
import { ScriptError } from '../../language/errors.js';

/** Bytes that one connection may bring. */
export const MOST_BYTES = 64 * 1024 * 1024;
const LOOK = 50;

/** Runs work over a connection that ends with it, with its signal, or when it brings too much; `failed` ends it too. */
export function watched<T>(
  socket: Socket,
  signal: AbortSignal,
  work: (failed: (error: Error) => void) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const end = (): void => {
      clearInterval(timer);
      signal.removeEventListener('abort', abort);
      // What the driver has to say about that is of no interest any more.
      socket.on('error', () => undefined);
      socket.destroy();
    };
    const failed = (error: Error): void => {
      end();
      reject(error);
    };
    const abort = (): void => {
      failed(signal.reason as Error);
    };
    // A row is only told when all of it is there.
    const timer = setInterval(() => {
      if (socket.bytesRead > MOST_BYTES) {
        failed(
          new ScriptError(422, `The result has more than ${String(MOST_BYTES)} bytes: let the query end with LIMIT.`),
        );
      }
    }, LOOK);
    signal.addEventListener('abort', abort);
    if (signal.aborted) {
      abort();
      return;
    }
    work(failed).then((value) => {
      end();
      resolve(value);
    }, failed);
  });
}
