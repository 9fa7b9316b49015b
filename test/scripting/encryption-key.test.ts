import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** `setEncryptionKey` counts for its run of scripts and what that sets off, and is for administrators (docs/interface/script-runtime.md 8.7). */
describe('the key of a script', () => {
  let server: TestServer;
  let admin: Client;
  let jane: Client;
  let count = 0;

  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'application.encryption.secret': 'of the settings' } });
    ({ admin } = server);
    await admin.defineType('Note', [{ name: 'text', propertyType: 'Encrypted' }]);
    await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
    jane = server.as('jane', 'secret-of-jane');
  });
  afterAll(() => server.stop());

  async function run(source: string, client = admin): Promise<{ status: number; result: unknown }> {
    const name = `run${String(++count)}`;
    await admin.create('SchemaMethod', { name, source });
    await allow(admin, name, 'user', ['POST']);
    const { status, body } = await client.post(`/${name}`, {});
    return { status, result: (body as { result?: unknown }).result };
  }
  const shown = async (id: string): Promise<unknown> =>
    (await admin.get(`/Note/${id}/all`)).body.result.text as unknown;

  it('encrypts what the script writes and reads, and nothing of anybody else', async () => {
    const plain = await admin.create('Note', { text: 'by the settings' });
    const { result } = await run(`{
      $.setEncryptionKey('own');
      const note = $.create('Note', { text: 'by the script' });
      note.text = 'by the script again';
      const other = $.find('Note', '${plain}').text;
      return [note.id, note.text, other, $.decrypt($.encrypt('x'), 'own')];
    }`);
    const [id, own, other, text] = result as string[];
    expect([own, other, text]).toEqual(['by the script again', null, 'x']);
    // Whoever has the key of the settings alone cannot read it, nor is anything encrypted by the other one after that.
    expect(await shown(id ?? '')).toBeNull();
    expect(await shown(plain)).toBe('by the settings');
    expect(await shown(await admin.create('Note', { text: 'later' }))).toBe('later');
    const again = await run(
      `{ const note = $.find('Note', '${String(id)}'); const before = note.text; $.setEncryptionKey('own'); return [before, note.text]; }`,
    );
    expect(again.result).toEqual([null, 'by the script again']);
    expect((await run("decrypt(encrypt('y'), 'of the settings')")).result).toBe('y');
  });

  it('ends with null, and with the script', async () => {
    const { result } = await run(`{
      $.setEncryptionKey('own');
      $.setEncryptionKey(null);
      return $.create('Note', { text: 'by the settings' }).id;
    }`);
    expect(await shown(String(result))).toBe('by the settings');
  });

  it('is set by administrators, or what runs as one', async () => {
    expect((await run("setEncryptionKey('own')", jane)).status).toBe(403);
    expect((await run("{ $.setEncryptionKey('own'); }", jane)).status).toBe(403);
    const privileged =
      "{ return $.doPrivileged(() => { $.setEncryptionKey('own'); return $.decrypt($.encrypt('z'), 'own'); }); }";
    expect(await run(privileged, jane)).toEqual({ status: 200, result: 'z' });
  });
});
