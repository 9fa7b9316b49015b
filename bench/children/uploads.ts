/** Uploads files by `multipart/form-data`, over so many connections at a time. */
import { randomFillSync } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { serve } from '../child.js';

export interface UploadsOrder {
  readonly port: number;
  readonly connections: number;
  /** Bytes of a file. */
  readonly size: number;
  /** Files in all, or seconds to go on for. */
  readonly files?: number;
  readonly seconds?: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface UploadsResult {
  readonly seconds: number;
  readonly files: number;
}

const BOUNDARY = 'boundary-of-the-bench';
const PIECE = 256 * 1024;
/** Not compressible, not the same everywhere. */
const bytes = randomFillSync(Buffer.alloc(8 * 1024 * 1024));

class Connection {
  #answer: ((head: string) => void) | undefined;
  #text = '';

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (piece) => {
      this.#text += piece.toString('latin1');
      const end = this.#text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(this.#text)?.[1] ?? 0);
      if (this.#text.length < end + 4 + length) return;
      const head = this.#text;
      this.#text = '';
      this.#answer?.(head);
    });
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        resolve(new Connection(socket));
      });
      socket.on('error', reject);
    });
  }

  async upload(number: number, size: number, headers: Readonly<Record<string, string>>): Promise<void> {
    const begin =
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; ` +
      `filename="upload-${String(process.pid)}-${String(number)}.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    const end = `\r\n--${BOUNDARY}--\r\n`;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const answered = new Promise<string>((resolve, reject) => {
      this.#answer = resolve;
      this.socket.once('close', () => {
        reject(new Error('the server closed the connection'));
      });
    });
    this.socket.write(
      `POST /svc/upload HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}` +
        `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n` +
        `Content-Length: ${String(begin.length + size + end.length)}\r\n\r\n${begin}`,
    );
    for (let at = 0; at < size; at += PIECE) {
      const from = at % bytes.length;
      const took = this.socket.write(bytes.subarray(from, from + Math.min(PIECE, size - at)));
      if (!took) await new Promise((resolve) => this.socket.once('drain', resolve));
    }
    this.socket.write(end);
    const head = await answered;
    this.socket.removeAllListeners('close');
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`an upload was answered: ${head.slice(0, 500)}`);
  }

  close(): void {
    this.socket.destroy();
  }
}

let number = 0;

serve<UploadsOrder, UploadsResult>(
  async ({ port, connections, size, files = Infinity, seconds = Infinity, headers }) => {
    const all = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
    const begin = performance.now();
    let [started, done] = [0, 0];
    await Promise.all(
      all.map(async (connection) => {
        while (started < files && performance.now() < begin + seconds * 1000) {
          started++;
          await connection.upload(number++, size, headers);
          done++;
        }
        connection.close();
      }),
    );
    return { seconds: (performance.now() - begin) / 1000, files: done };
  },
);
