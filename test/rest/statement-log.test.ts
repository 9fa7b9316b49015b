import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

it('logs statements of the graph with their times and without values, from one moment to the next', async () => {
  const server = await TestServer.start();
  try {
    await server.admin.defineType('Diary', [
      { name: 'text', propertyType: 'String' },
      { name: 'secret', propertyType: 'Password' },
    ]);
    await server.admin.post('/Diary', { text: 'before' });
    expect(server.logged(/org\.svc\.graph - \d/)).toEqual([]);

    const conf = join(server.folder, 'svc.conf');
    const text = await readFile(conf, 'utf8');
    await writeFile(conf, `${text}log.cypher.debug = true\n`, { mode: 0o600 });
    server.child.kill('SIGHUP');
    const values = { text: 'my-dearest-words', secret: 'my-darkest-word' };
    await expect
      .poll(async () => {
        await server.admin.post('/Diary', values);
        await server.admin.get('/Diary?text=my-dearest-words');
        return server.logged(/INFO {2}org\.svc\.graph - \d+\.\d ms: \S/).length;
      })
      .toBeGreaterThan(2);
    expect(server.logged(/my-dearest|my-darkest/)).toEqual([]);

    await writeFile(conf, `${text}log.querytime.threshold = 0\n`, { mode: 0o600 });
    server.child.kill('SIGHUP');
    await expect
      .poll(async () => {
        await server.admin.post('/Diary', values);
        return server.logged(/WARN {2}org\.svc\.graph - slow statement, \d+\.\d ms: \S/).length;
      })
      .toBeGreaterThan(0);
    expect(server.logged(/my-dearest|my-darkest/)).toEqual([]);
  } finally {
    await server.stop();
  }
});
