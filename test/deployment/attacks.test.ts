/** What archives, links, addresses and users might try with deployments (docs/interface/deployment.md 1, 3, 7). */
import { createServer, type Server } from 'node:http';
import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { Deploying, id } from '../support/deploying.js';
import { writeTree } from '../support/export-tree.js';
import { BOUNDARY, fields, file, multipart } from '../support/files.js';
import { endedJob } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import type { TestServer } from '../support/server.js';
import { zipOf, type ZipPart } from '../support/zip-builder.js';

let deploying: Deploying;
let server: TestServer;
let admin: Client;
let eve: Client;
let site: Server;
let address: string;

const GOOD: ZipPart = { name: 'top/widgets.json', content: Buffer.from('[]') };

beforeAll(async () => {
  deploying = await Deploying.start();
  ({ server, admin } = deploying);
  await admin.create('User', { name: 'eve', password: 'correct horse' });
  eve = server.as('eve', 'correct horse');
  site = createServer((request, response) => {
    if (request.url === '/elsewhere') {
      response
        .writeHead(302, { Location: `http://localhost:${String((site.address() as AddressInfo).port)}/a.zip` })
        .end();
      return;
    }
    response.end(zipOf([GOOD]));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}`;
});
afterAll(async () => {
  site.close();
  await deploying.stop();
});

const post = (parts: Parameters<typeof multipart>[0]): Promise<Answer> =>
  admin.send('POST', '/svc/deploy', multipart(parts), { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` });
const sent = (parts: readonly ZipPart[]): Promise<Answer> =>
  post([...fields({ mode: 'app' }), file('a.zip', zipOf(parts))]);

describe('an archive', () => {
  it('that leads elsewhere, is a bomb, or says what is not so, is refused', async () => {
    expect((await sent([GOOD])).status).toBe(200);
    const bomb = Buffer.alloc(64 * 1024 * 1024);
    const link = { mode: 0o120777, stored: true, content: Buffer.from('/etc/passwd') };
    for (const [what, parts] of [
      ['above', [GOOD, { name: 'top/../../x.txt', content: Buffer.from('x') }]],
      ['absolute', [GOOD, { name: '/tmp/svc-attack.txt', content: Buffer.from('x') }]],
      ['with backslashes', [GOOD, { name: 'top\\..\\..\\x.txt', content: Buffer.from('x') }]],
      ['bomb', [GOOD, { name: 'top/files/x', content: bomb }]],
      ['larger than it says', [{ ...GOOD, content: Buffer.alloc(5000, 'x'), claim: { size: 5 } }]],
      ['two of one name', [GOOD, GOOD]],
      ['a file as a folder', [GOOD, { name: 'top/widgets.json/x', content: Buffer.from('x') }]],
      ['a deep one', [GOOD, { name: `top/${'d/'.repeat(100)}x`, content: Buffer.from('x') }]],
    ] as const) {
      const { status, text } = await sent(parts);
      expect([what, status, text.startsWith('ERROR (400): Unable to deploy file.')]).toEqual([what, 400, true]);
    }
    await expect(stat('/tmp/svc-attack.txt')).rejects.toThrow('ENOENT');
    // A link in an archive is the text that it is written as.
    const linked = await sent([
      {
        name: 'top/files.json',
        content: Buffer.from(JSON.stringify({ '/l.txt': { id: id('1'), type: 'File', isTemplate: false } })),
      },
      { name: 'top/files/l.txt', ...link },
    ]);
    expect([linked.status, (await admin.get('/svc/html/l.txt')).text.includes('root:')]).toEqual([200, false]);
  });
});

describe('an address', () => {
  it('is asked under the rules for calls, wherever it leads', async () => {
    await server.reload({ 'application.httphelper.urlwhitelist': 'http://127.0.0.1:.*' });
    expect((await post(fields({ mode: 'app', downloadUrl: `${address}/a.zip` }))).status).toBe(200);
    for (const downloadUrl of [`${address}/elsewhere`, `http://localhost:1/a.zip`, 'http://169.254.169.254/x']) {
      const { status, text } = await post(fields({ mode: 'app', downloadUrl }));
      expect([downloadUrl, status, text]).toEqual([
        downloadUrl,
        400,
        expect.stringMatching(/not permitted|urlwhitelist|may not/i),
      ]);
      const asked = await deploying.deploy({ mode: 'import', source: downloadUrl });
      expect([downloadUrl, asked.status]).toEqual([downloadUrl, 422]);
    }
    expect((await post(fields({ mode: 'app', downloadUrl: 'file:///etc/passwd' }))).status).toBe(400);
    await server.reload({ 'application.httphelper.urlwhitelist': '*' });
  });
});

describe('links', () => {
  it('in a target have nothing written or removed elsewhere', async () => {
    const elsewhere = deploying.newFolder();
    await writeTree(elsewhere, { 'mine.html': 'stays' });
    for (const folder of ['pages', 'files', 'schema', 'security', 'modules']) {
      const target = deploying.newFolder();
      await mkdir(target);
      await symlink(elsewhere, join(target, folder));
      const answer = await deploying.deploy({ mode: 'export', target });
      expect([folder, answer.status, answer.body.message]).toEqual([folder, 422, expect.stringContaining(folder)]);
    }
    const target = deploying.newFolder();
    await mkdir(target);
    await symlink(join(elsewhere, 'mine.html'), join(target, 'widgets.json'));
    await symlink(join(elsewhere, 'new.html'), join(target, 'pages.json'));
    await symlink(join(elsewhere, 'mine.html'), join(target, 'deployment.conf'));
    const out = await deploying.exported(target);
    expect([out['widgets.json'], out['deployment.conf']?.includes('stays')]).toEqual(['[]', false]);
    expect(await readFile(join(elsewhere, 'mine.html'), 'utf8')).toBe('stays');
    await expect(stat(join(elsewhere, 'new.html'))).rejects.toThrow('ENOENT');
    await rm(target, { recursive: true });
    await symlink(server.folder, target);
    expect((await deploying.deploy({ mode: 'export', target: join(target, 'db') })).status).toBe(422);
  });

  it('in a source are not followed out of it', async () => {
    const source = deploying.newFolder();
    await writeTree(source, { 'widgets.json': '[]' });
    const secret = join(deploying.folder, 'secret.json');
    await writeFile(secret, '[]');
    for (const path of ['localizations.json', 'data', 'modules', 'pre-deploy.conf']) {
      await symlink(path.includes('.') ? secret : '/etc', join(source, path));
      const answer = await deploying.deploy({ mode: 'import', source });
      expect([path, answer.status, answer.body.message]).toEqual([
        path,
        422,
        expect.stringContaining('leads out of the export'),
      ]);
      await rm(join(source, path));
    }
  });
});

describe('somebody who is no administrator', () => {
  it('gets nowhere: commands, function, jobs, archives, kept parts', async () => {
    await allow(admin, 'maintenance/deploy', 'user', ['POST']);
    await allow(admin, 'DeployedPart', 'user', ['GET', 'POST', 'PUT', 'DELETE']);
    const target = deploying.newFolder();
    expect((await deploying.deploy({ mode: 'export', target }, eve)).status).toBe(403);
    const source = "{ return String($.maintenance('deploy', { mode: 'export', target: '" + target + "' })); }";
    await admin.create('SchemaMethod', { name: 'reachOut', source });
    await allow(admin, 'reachOut', 'user', ['POST']);
    await eve.post('/reachOut', {});
    await expect(stat(target)).rejects.toThrow('ENOENT');
    const begun = await deploying.deploy({ mode: 'export', target, background: true });
    const { jobId } = begun.body.result[0] as { jobId: number };
    await endedJob(admin, jobId);
    for (const path of ['jobs', 'jobs/_id']) await allow(admin, path, 'user', ['GET', 'PUT']);
    expect((await eve.get(`/jobs/${String(jobId)}`)).status).toBe(404);
    expect((await eve.post('/DeployedPart', { path: 'modules/x/y', content: 'x' })).status).toBe(403);
    expect((await eve.get('/svc/deploy?name=x')).status).toBe(401);
  });
});

describe('odd requests', () => {
  it('have no effect on the answer beyond what they say', async () => {
    for (const name of ['shop€', 'a"b', 'x'.repeat(300), 'a%0Ab'.replace('%0A', '\n')]) {
      const answer = await fetch(`${server.url}/svc/deploy?mode=app&name=${encodeURIComponent(name)}`, {
        headers: { 'X-User': 'admin', 'X-Password': 'admin' },
      });
      await answer.arrayBuffer();
      expect([name, [200, 400, 403].includes(answer.status)]).toEqual([name, true]);
    }
    const answer = await post([
      ...fields({ mode: 'app', redirectUrl: 'https://evil.example/x' }),
      file('a.zip', zipOf([GOOD])),
    ]);
    expect([answer.status, answer.headers['location']]).toEqual([302, '/x']);
    // A long line without an end does not hold anybody up.
    const begun = performance.now();
    await deploying.imported({ 'widgets.json': [], 'deployment.conf': `a${' '.repeat(900_000)}` });
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
