/**
 * The baseline of uploads: uWebSockets.js alone, writing each body to a file of its own as it comes, answering when it is
 * on disk; and where asked, when the rows of one object are, too. It parses nothing and sums nothing up.
 */
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import uws, { type HttpResponse } from 'uWebSockets.js';
import { serve } from '../child.js';
import { Rows } from '../rows.js';

export interface SinkOrder {
  readonly folder: string;
  /** Copy of the server's database; absent: no rows are inserted. */
  readonly database?: string;
}

/** Bytes that wait to be written before the sender does, as in the server. */
const BEHIND = 1024 * 1024;

class Body {
  #waiting: Buffer[] = [];
  #bytes = 0;
  #writing = false;
  #paused = false;
  #ended = false;

  constructor(
    private readonly res: HttpResponse,
    private readonly file: Promise<FileHandle>,
    private readonly done: (handle: FileHandle) => Promise<void>,
  ) {}

  push(chunk: ArrayBuffer, last: boolean): void {
    // The memory is the library's, and only for now.
    this.#waiting.push(Buffer.from(Buffer.from(chunk)));
    this.#bytes += chunk.byteLength;
    this.#ended = last;
    if (!this.#writing) void this.#write();
    else if (this.#bytes > BEHIND && !this.#paused && !last) {
      this.#paused = true;
      this.res.pause();
    }
  }

  async #write(): Promise<void> {
    this.#writing = true;
    const handle = await this.file;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      this.#bytes = 0;
      await handle.writev(batch);
      if (this.#paused) {
        this.#paused = false;
        this.res.resume();
      }
    }
    this.#writing = false;
    if (this.#ended) await this.done(handle);
  }
}

let number = 0;

serve<SinkOrder, number>(async ({ folder, database }) => {
  await mkdir(folder, { recursive: true });
  const insert = database === undefined ? undefined : new Rows(database).transaction(1);
  const done = async (res: HttpResponse, handle: FileHandle): Promise<void> => {
    await handle.datasync();
    await handle.close();
    insert?.();
    res.cork(() => res.end('stored'));
  };
  return new Promise((resolve, reject) => {
    uws
      .App()
      .post('/*', (res) => {
        const body = new Body(res, open(join(folder, String(number++)), 'wx'), (handle) => done(res, handle));
        res.onAborted(() => undefined);
        res.onData((chunk, last) => {
          body.push(chunk, last);
        });
      })
      .listen('127.0.0.1', 0, (socket) => {
        if (socket === false) reject(new Error('no free port'));
        else resolve(uws.us_socket_local_port(socket));
      });
  });
});
