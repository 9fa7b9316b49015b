import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOUNDARY, contentsOnDisk, countOf, file, multipart, until, upload } from '../support/files.js';
import { TestServer } from '../support/server.js';

const MB = 1024 * 1024;

/** Resident memory of a process in bytes. */
function residentOf(pid: number | undefined): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/** Memory while many upload at once; to be run on Linux. */
describe.skipIf(process.platform !== 'linux')('many uploads at once', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'httpservice.connections.maxperaddress': 0 } });
  });
  afterAll(() => server.stop());

  /** Sends a body on a connection that is there; the status. */
  function send(body: Buffer, name: string): { open: Promise<void>; go: () => Promise<number> } {
    const socket = connect(server.port, '127.0.0.1');
    const head =
      `POST /svc/upload HTTP/1.1\r\nHost: localhost\r\nX-User: admin\r\nX-Password: admin\r\nConnection: close\r\n` +
      `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\nX-Name: ${name}\r\n` +
      `Content-Length: ${String(body.length)}\r\n\r\n`;
    const open = new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return {
      open,
      go: () =>
        new Promise((resolve, reject) => {
          socket.once('data', (data) => {
            resolve(Number(data.toString('latin1', 9, 12)));
            socket.end();
          });
          socket.on('error', reject);
          socket.once('close', () => {
            reject(new Error('closed without an answer'));
          });
          socket.write(head);
          socket.write(body);
        }),
    };
  }

  it('1,000 of 1 MB: all arrive, and resident memory grows by less than 200 MB', async () => {
    const { admin } = server;
    // What a server that has worked before has anyway.
    for (let i = 0; i < 20; i++) {
      await Promise.all(Array.from({ length: 16 }, () => upload(admin, [file('warm', Buffer.alloc(MB))])));
    }
    const before = await countOf(admin, 'File');
    const start = residentOf(server.child.pid);
    let most = start;
    const sampling = setInterval(() => {
      most = Math.max(most, residentOf(server.child.pid));
    }, 20);
    const body = multipart([file('one of a thousand.bin', Buffer.alloc(MB, 7))]);
    const clients = Array.from({ length: 1000 }, (_, i) => send(body, String(i)));
    await Promise.all(clients.map(({ open }) => open));
    const at = performance.now();
    const statuses = await Promise.all(clients.map(({ go }) => go().catch((error: unknown) => String(error))));
    const seconds = (performance.now() - at) / 1000;
    clearInterval(sampling);
    server.assertAlive();
    const grown = Math.round((most - start) / MB);
    console.log(
      `1,000 uploads of 1 MB: ${seconds.toFixed(1)} s, resident memory grew by ${String(grown)} MB to ${String(Math.round(most / MB))} MB`,
    );
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(await countOf(admin, 'File')).toBe(before + 1000);
    await until(async () => (await contentsOnDisk(server)).length === before + 1000, 'one content a file');
    expect(grown).toBeLessThan(200);
  });
});
