/** Downloads a file again and again, one after the other, and counts the bytes; nothing is kept of them. */
import { connect } from 'node:net';
import { serve } from '../child.js';

export interface DownloadOrder {
  readonly port: number;
  readonly path: string;
  readonly times: number;
}

export interface DownloadResult {
  /** Megabytes (10^6 bytes) a second, heads included. */
  readonly rate: number;
  readonly bytes: number;
}

const buffer = Buffer.alloc(1024 * 1024);

function download(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let head = '';
    const socket = connect({
      port,
      host: '127.0.0.1',
      // Into the same memory each time: what the client costs is the same for both sides, and as little as can be.
      onread: {
        buffer,
        callback: (size) => {
          if (bytes === 0) head = buffer.toString('latin1', 0, Math.min(size, 20));
          bytes += size;
          return true;
        },
      },
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (head.startsWith('HTTP/1.1 200')) resolve(bytes);
      else reject(new Error(`the download was answered: ${head}`));
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  });
}

serve<DownloadOrder, DownloadResult>(async ({ port, path, times }) => {
  const begin = performance.now();
  let bytes = 0;
  for (let i = 0; i < times; i++) bytes += await download(port, path);
  return { rate: bytes / 1e3 / (performance.now() - begin), bytes };
});
