/** Resumable uploads with the public client, as its users have them. */
import { open, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as tus from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { ADMIN, bytesOf, filesBelow, getBytes, sha1 } from './bytes.js';

const MB = 1024 * 1024;

interface Sent {
  readonly upload: tus.Upload;
  /** UUID of the file. */
  readonly done: Promise<string>;
}

function send(url: string, bytes: Buffer, options: Partial<tus.UploadOptions> = {}): Sent {
  let id = '';
  let upload: tus.Upload | undefined;
  const done = new Promise<string>((resolve, reject) => {
    upload = new tus.Upload(bytes, {
      endpoint: `${url}/svc/upload/tus`,
      headers: ADMIN,
      metadata: { filename: 'bulk.bin', filetype: 'application/octet-stream' },
      retryDelays: [100, 300, 1000, 1000, 1000],
      onAfterResponse: (_, res) => {
        id = res.getHeader('Svc-File-Id') ?? id;
      },
      onSuccess: () => {
        resolve(id);
      },
      onError: reject,
      ...options,
    });
    upload.start();
  });
  done.catch(() => undefined);
  if (upload === undefined) throw new Error('no upload');
  return { upload, done };
}

/** A line to the server, whichever port it has after a restart. */
class Line {
  private readonly sockets = new Set<Socket>();
  /** How often it has broken by itself. */
  breaks = 0;
  private sent = 0;
  private constructor(
    private readonly listener: Server,
    readonly url: string,
  ) {}

  /** @param breaking - after how many bytes to the server it breaks, and how often it does */
  static async to(port: () => number, breaking?: { readonly after: number; readonly times: number }): Promise<Line> {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const line = new Line(listener, `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}`);
    listener.on('connection', (client) => {
      const socket = connect(port(), '127.0.0.1');
      for (const [one, other] of [
        [client, socket],
        [socket, client],
      ] as const) {
        line.sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          line.sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
      client.on('data', (bytes: Buffer) => {
        line.sent += bytes.length;
        if (breaking === undefined || line.breaks === breaking.times || line.sent < breaking.after) return;
        line.sent = 0;
        line.breaks++;
        line.cut();
      });
    });
    return line;
  }

  /** Breaks what is on its way. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }
  close(): void {
    this.cut();
    this.listener.close();
  }
}

describe('resumable uploads with tus-js-client', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const check = async (id: string, content: Buffer): Promise<void> => {
    const got = await getBytes(`${server.url}/${id}`);
    expect([got.status, got.bytes.length, sha1(got.bytes)]).toEqual([200, content.length, sha1(content)]);
  };
  const noData = async (): Promise<void> => {
    const partial = await filesBelow(join(server.folder, 'files', '._svc_resumable'));
    expect(partial.filter((name) => name.endsWith('.data'))).toEqual([]);
  };

  it('100 MB in one request and in pieces', async () => {
    const content = bytesOf(100 * MB, 5);
    await check(await send(server.url, content).done, content);
    await check(await send(server.url, content, { chunkSize: 7 * MB, uploadDataDuringCreation: true }).done, content);
    await noData();
  });

  it('several at the same time', async () => {
    const contents = Array.from({ length: 8 }, (_, i) => bytesOf(3 * MB + i, i + 10));
    const sent = contents.map((content) => send(server.url, content, { chunkSize: MB }));
    for (const [i, { done }] of sent.entries()) await check(await done, contents[i] ?? Buffer.alloc(0));
    await noData();
  });

  it('interrupted and resumed, again and again', async () => {
    const content = bytesOf(20 * MB, 77);
    let url: string | null = null;
    let id = '';
    for (let turn = 0; turn < 12 && id === ''; turn++) {
      const stop = (turn + 1) * 3 * MB;
      const { upload, done } = send(server.url, content, {
        uploadUrl: url,
        onProgress: (bytes) => {
          if (bytes > stop) void upload.abort();
        },
      });
      id = (await Promise.race([done, sleep(1500).then(() => '')])) || '';
      await upload.abort();
      url = upload.url;
    }
    await check(id, content);
    await noData();
  });

  it('over a line that breaks all the time', async () => {
    const line = await Line.to(() => server.port, { after: 5 * MB, times: 6 });
    const content = bytesOf(40 * MB, 41);
    await check(await send(line.url, content).done, content);
    expect(line.breaks).toBe(6);
    await noData();
    line.close();
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('over the end of the server by %s', async (signal) => {
    const line = await Line.to(() => server.port);
    const content = bytesOf(30 * MB, 99);
    let restarting: Promise<void> | undefined;
    const restart = async (): Promise<void> => {
      const { folder } = server;
      await server.end(signal);
      server = await TestServer.start({ folder });
    };
    const { done } = send(line.url, content, {
      chunkSize: 2 * MB,
      retryDelays: Array.from({ length: 40 }, () => 500),
      onChunkComplete: (_, bytes) => {
        if (bytes >= 10 * MB) restarting ??= restart();
      },
    });
    const id = await done;
    await restarting;
    await check(id, content);
    await noData();
    line.close();
  });

  it('termination removes what has arrived', async () => {
    const { upload } = send(server.url, bytesOf(50 * MB), { chunkSize: MB });
    while (upload.url === null) await sleep(5);
    await upload.abort(true);
    await noData();
    const head = await fetch(upload.url, { method: 'HEAD', headers: { ...ADMIN, 'Tus-Resumable': '1.0.0' } });
    expect(head.status).toBe(404);
  });

  it('a file that is not in memory', async () => {
    const path = join(server.folder, 'source.bin');
    const handle = await open(path, 'w');
    const content = bytesOf(11 * MB, 3);
    await handle.write(content);
    await handle.close();
    const { createReadStream } = await import('node:fs');
    const { done } = send(server.url, content, { chunkSize: 2 * MB });
    await check(await done, content);
    const stream = createReadStream(path);
    const id = await new Promise<string>((resolve, reject) => {
      let found = '';
      new tus.Upload(stream, {
        endpoint: `${server.url}/svc/upload/tus`,
        headers: ADMIN,
        uploadSize: content.length,
        chunkSize: 2 * MB,
        onAfterResponse: (_, res) => {
          found = res.getHeader('Svc-File-Id') ?? found;
        },
        onSuccess: () => {
          resolve(found);
        },
        onError: reject,
      }).start();
    });
    await check(id, content);
    await rm(path);
  });
});
