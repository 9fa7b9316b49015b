/**
 * The way of MongoDB's driver to a server. The driver connects as often as it likes, waits as long as it likes, and takes messages of
 * any size, also packed ones, of which a few bytes fill the memory. So it is given a socket in a folder of its own instead of an address:
 * behind it all connections lead to the one address that was checked, are counted, and end together.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform, type TransformCallback } from 'node:stream';
import { ScriptError } from '../../language/errors.js';

const HEADER = 16;
/** Answers of a server, by number: the old form of the first one, and that of all others. Packed ones, which nobody asked for, are none. */
const REPLY = 1;
const MESSAGE = 2013;
/** Bytes before the document of an answer. */
const BEFORE: ReadonlyMap<number, number> = new Map([
  [REPLY, HEADER + 20],
  [MESSAGE, HEADER + 5],
]);
const LENGTH = 4;
/** Bytes of a document that servers send, by their own rules. */
const LARGEST_DOCUMENT = 16 * 1024 * 1024 + 16 * 1024;
/** Milliseconds that the driver has to read the last words of a server. */
const LAST_WORDS = 200;

/**
 * Runs work that connects to the socket that it is told; `connect` makes the connections behind. It all ends with the work, with the
 * signal, with the first connection that fails or is closed, when more than `most` bytes come, and when the work
 * calls `fail`; `over` tells it. Rejects with a
 * `ScriptError` 422, or what connections fail with.
 */
export async function relayed<T>(
  connect: () => Socket,
  signal: AbortSignal,
  most: number,
  work: (path: string, over: AbortSignal, fail: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mongodb-'));
  const server = createServer();
  const sockets = new Set<Socket>();
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      const failed = (error: Error): void => {
        reject(error);
        over.abort();
        for (const socket of sockets) socket.destroy();
      };
      abort = () => {
        failed(signal.reason as Error);
      };
      signal.addEventListener('abort', abort);
      let left = most;
      const count = (bytes: number): void => {
        left -= bytes;
        if (left < 0) failed(new ScriptError(422, `the answer has more than ${String(most)} bytes.`));
      };
      const closed = (): void => {
        timer ??= setTimeout(failed, LAST_WORDS, new ScriptError(422, 'the server closed the connection.'));
      };
      server.on('connection', (near) => {
        const far = connect();
        const answers = new Answers(count).on('error', failed);
        sockets.add(near).add(far);
        near.on('error', () => far.destroy()).on('close', () => far.destroy());
        far.on('error', failed).on('close', () => near.end());
        far.on('end', closed);
        near.pipe(far).pipe(answers).pipe(near);
      });
      server.on('error', failed);
      const path = join(folder, 'driver.sock');
      server.listen(path, () => {
        if (signal.aborted) abort();
        else work(path, over.signal, failed).then(resolve, reject);
      });
    });
  } finally {
    signal.removeEventListener('abort', abort);
    clearTimeout(timer);
    server.close();
    for (const socket of sockets) socket.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Passes answers of a server on; fails when one is none: it has one document, and nothing else for the driver to go through. */
class Answers extends Transform {
  private begin = Buffer.alloc(0);
  /** Bytes of the answer that are still to come. */
  private left = 0;

  constructor(private readonly count: (bytes: number) => void) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.count(chunk.length);
    for (let rest = chunk; rest.length > 0;) {
      const wanted = this.left > 0 ? this.left : neededOf(this.begin) - this.begin.length;
      const part = rest.subarray(0, wanted);
      rest = rest.subarray(wanted);
      if (this.left > 0) {
        this.left -= part.length;
        continue;
      }
      this.begin = Buffer.concat([this.begin, part]);
      const needed = neededOf(this.begin);
      if (this.begin.length < needed) continue;
      const wrong = wrongIn(this.begin);
      if (wrong !== undefined) {
        done(new ScriptError(422, wrong));
        return;
      }
      this.left = this.begin.readInt32LE(0) - needed;
      this.begin = Buffer.alloc(0);
    }
    done(null, chunk);
  }
}

/** How much of an answer there has to be before it can be looked at: its header, and then all up to the length of its document. */
function neededOf(begin: Buffer): number {
  if (begin.length < HEADER) return HEADER;
  return (BEFORE.get(opcodeOf(begin)) ?? HEADER - LENGTH) + LENGTH;
}

function wrongIn(begin: Buffer): string | undefined {
  const opcode = opcodeOf(begin);
  const before = BEFORE.get(opcode);
  if (before === undefined) return NO_ANSWER;
  const length = begin.readInt32LE(before);
  if (length < LENGTH + 1 || begin.readInt32LE(0) !== before + length) return NO_ANSWER;
  // One document; no flags, which would say that more follows unasked, and the kind of a document.
  const isOne =
    opcode === REPLY
      ? begin.readInt32LE(before - LENGTH) === 1
      : begin.readInt32LE(HEADER) === 0 && begin[before - 1] === 0;
  if (!isOne) return NO_ANSWER;
  return length > LARGEST_DOCUMENT ? 'the server sent more at once than a document can hold.' : undefined;
}

const NO_ANSWER = 'the server does not speak the protocol of MongoDB.';

function opcodeOf(begin: Buffer): number {
  return begin.readInt32LE(HEADER - LENGTH);
}
