/** curl, as people use it: forms, whole bodies, downloads and uploads that go on where they broke off. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { bytesOf } from './bytes.js';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) console.warn('skipped: uploads and downloads by curl, which is not installed');

const sum = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe.skipIf(!hasCurl)('curl', () => {
  let server: TestServer;
  let folder: string;
  const bytes = bytesOf(3_000_000, 7);

  beforeAll(async () => {
    server = await TestServer.start();
    folder = await mkdtemp(join(tmpdir(), 'svc-curl-'));
    await writeFile(join(folder, 'a.bin'), bytes);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await server.stop();
  });

  /** What it prints; rejects when it fails, as for statuses from 400 on. */
  const curl = async (...args: string[]): Promise<string> => {
    const credentials = ['-H', 'X-User: admin', '-H', 'X-Password: admin'];
    const { stdout } = await promisify(execFile)('curl', ['-sS', '--fail-with-body', ...credentials, ...args], {
      cwd: folder,
    });
    return stdout;
  };
  const uploaded = (): Promise<string> => curl('-F', 'file=@a.bin', `${server.url}/svc/upload`);

  it('uploads by form and downloads', async () => {
    const id = await uploaded();
    await curl('-o', 'down.bin', `${server.url}/${id}`);
    expect(sum(await readFile(join(folder, 'down.bin')))).toBe(sum(bytes));
  });

  it('replaces content by -T', async () => {
    const id = await uploaded();
    await writeFile(join(folder, 'b.txt'), 'other content');
    await curl('-T', 'b.txt', `${server.url}/svc/upload/${id}`);
    expect(await curl(`${server.url}/${id}`)).toBe('other content');
  });

  it('goes on with a download that broke off, by -C -', async () => {
    const id = await uploaded();
    await writeFile(join(folder, 'part.bin'), bytes.subarray(0, 1_234_567));
    const sent = await curl('-C', '-', '-o', 'part.bin', '-w', '%{http_code} %{size_download}', `${server.url}/${id}`);
    expect(sent).toBe(`206 ${String(bytes.length - 1_234_567)}`);
    expect(sum(await readFile(join(folder, 'part.bin')))).toBe(sum(bytes));
  });

  it('asks whether there is something newer, by -z and by ETag', async () => {
    const id = await uploaded();
    await curl('--etag-save', 'tag', '-R', '-o', 'kept.bin', `${server.url}/${id}`);
    const code = ['-o', 'none', '-w', '%{http_code}', `${server.url}/${id}`];
    expect(await curl('--etag-compare', 'tag', ...code)).toBe('304');
    expect(await curl('-z', 'kept.bin', ...code)).toBe('304');
    expect((await stat(join(folder, 'kept.bin'))).size).toBe(bytes.length);
  });

  it('uploads in pieces, going on from where the server says', async () => {
    const tus = ['-H', 'Tus-Resumable: 1.0.0', '-i'];
    const header = (answer: string, name: string): string =>
      new RegExp(`^${name}: *(.*?)\r?$`, 'im').exec(answer)?.[1] ?? '';
    const begun = await curl(
      ...tus,
      '-X',
      'POST',
      '-H',
      `Upload-Length: ${String(bytes.length)}`,
      `${server.url}/svc/upload/tus`,
    );
    const url = new URL(header(begun, 'Location'), server.url).href;
    let done = '';
    for (const size of [1_000_000, 1_500_000, 500_000]) {
      const offset = Number(header(await curl(...tus, '-I', url), 'Upload-Offset'));
      await writeFile(join(folder, 'piece'), bytes.subarray(offset, offset + size));
      const type = ['-H', 'Content-Type: application/offset+octet-stream', '-H', `Upload-Offset: ${String(offset)}`];
      done = await curl(...tus, '-X', 'PATCH', ...type, '--data-binary', '@piece', url);
    }
    await curl('-o', 'tus.bin', `${server.url}/${header(done, 'Svc-File-Id')}`);
    expect(sum(await readFile(join(folder, 'tus.bin')))).toBe(sum(bytes));
  });
});
