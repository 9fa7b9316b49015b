/** Pages made of HTML (docs/interface/pages.md 8.1), and widgets (9). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { getPage } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { call, childrenOf, emptyPage, pageOf } from '../../support/trees.js';
import { refused, SHOWN } from './support.js';

let server: TestServer;
let admin: Client;
let anna: Client;
let annaId: string;
beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  annaId = await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
  await allow(admin, 'DOMNode/_id/insertWidget', 'user', ['POST']);
  await allow(admin, 'Body/_id/insertWidget', 'user', ['POST']);
});
afterAll(() => server.stop());

describe('pages of HTML', () => {
  const ask = (input: object, client = admin): Promise<Answer> => client.post('/Page/importPage', input);

  it('importPage makes a page of a text', async () => {
    const code =
      '<!doctype html><html lang="en"><head><title>T</title><!-- kept --></head><body class="b"><p>Hello</body></html>';
    const answer = await ask({ name: 'imported', code, publicVisible: true });
    expect(answer.status, answer.text).toBe(200);
    const { id } = answer.body.result as { id: string };
    const [html = ''] = await childrenOf(admin, id);
    expect(await pageOf(admin, html)).toBe(id);
    const page = await getPage(server.as(), '/imported');
    expect(page.status).toBe(200);
    expect(page.text.replace(/\s*\n\s*/g, '')).toBe(
      '<!DOCTYPE html><html lang="en"><head><title>T</title><!-- kept --></head><body class="b"><p>Hello</p></body></html>',
    );
    // It is for the public alone.
    await admin.create('User', { name: 'berta', password: 'Berta-pass-1' });
    expect((await getPage(server.as('berta', 'Berta-pass-1'), '/imported')).status).toBe(404);
  });

  it('of users who are no administrators runs nothing; it needs a permission', async () => {
    const code =
      '<html onload="alert(1)"><head><meta http-equiv="refresh" content="0;url=/x"><base href="/x"><link rel="stylesheet" href="/x"></head>' +
      '<body onload="alert(1)" style="color: red"><p onclick="alert(1)">${me.name}</p><script>alert(1)</script><a href="javascript:alert(1)">x</a>';
    refused(await ask({ name: 'hers', code }, anna), 401, /Access denied/);
    refused(await ask({ name: 'hers', code }, server.as()), 401, /Access denied/);
    await allow(admin, 'Page/importPage', 'user', ['POST']);
    const answer = await ask({ name: 'hers', code, authVisible: true }, anna);
    expect(answer.status, answer.text).toBe(200);
    expect((await getPage(admin, '/hers')).text.replace(/\s*\n\s*/g, '')).toBe(
      '<!DOCTYPE html><html><head></head><body><p>${me.name}</p><a>x</a></body></html>',
    );
  });

  it('refuses what is no page, too large, or not there yet, and makes nothing', async () => {
    const before = (await admin.get('/Page')).body.result_count as number;
    refused(await ask({ name: 'x' }), 400, /"code" or "address"/);
    refused(await ask({ code: '<p>x' }), 400, /"name"/);
    refused(await ask({ name: 'a/b', code: '<p>x' }), 422, /./);
    refused(await ask({ name: 'x', code: '<b>x</b>'.repeat(10_001) }), 422, /more than 20000 nodes/);
    refused(await ask({ name: 'x', code: '<p>x', processDeploymentInfo: 'yes' }), 400, /processDeploymentInfo/);
    expect((await admin.get('/Page')).body.result_count).toBe(before);
  });
});

describe('widgets', () => {
  const widget = (source: string | null, fields: object = {}, client = admin): Promise<string> =>
    client.create('Widget', { name: 'w', source, visibleToAuthenticatedUsers: true, ...fields });
  const put = (node: string, id: string, values: object = {}, client = admin): Promise<Answer> =>
    call(client, node, 'insertWidget', { widget: id, values });
  const body = async (name: string, fields: object = {}): Promise<string> =>
    (await emptyPage(admin, name, { ...SHOWN, ...fields })).body;

  it('are stored with the data of their dialogs', async () => {
    const fields = {
      ...{ description: 'A card', configuration: '{"title":{"type":"input"}}', treePath: '/Cards/Small' },
      ...{ svgIconPath: '/i.svg', thumbnailPath: '/t.png', selectors: ['div', '.row'], isPageTemplate: true },
    };
    const id = await widget('<p>[title]</p>', fields);
    expect((await admin.get(`/Widget/${id}/ui`)).body.result).toMatchObject({ ...fields, isWidget: true });
    expect((await admin.get(`/Widget/${id}/editWidget`)).body.result).toMatchObject({
      ...{ selectors: ['div', '.row'], isPageTemplate: true },
    });
  });

  it('are put into a page with values in their places', async () => {
    const into = await body('w-values');
    const id = await widget('<p class="[kind:a,b]">[title] [other] [x] $&</p>');
    const answer = await put(into, id, { kind: 'b', title: '<b>T</b>', x: 3 });
    expect([answer.status, answer.body.result.length], answer.text).toEqual([200, 1]);
    const { text } = await getPage(server.as(), '/w-values');
    expect(text.replace(/\s*\n\s*/g, '')).toContain('<p class="b"><b>T</b> [other] 3 $&amp;</p>');
  });

  it('of users who are no administrators run nothing, also when an administrator inserts them', async () => {
    const into = await body('w-foreign');
    await allow(admin, 'Widget', 'user', ['POST']);
    const hers = await widget('<p onclick="alert(1)">${me.name}</p><script>alert(1)</script>', {}, anna);
    expect((await put(into, hers)).status).toBe(200);
    const { text } = await getPage(admin, '/w-foreign');
    expect(text).toContain('${me.name}');
    expect(text).not.toMatch(/alert/);
  });

  it('need the right to write the node, and to read the widget', async () => {
    const foreign = await body('w-rights');
    const id = await widget('<p>x</p>');
    refused(await put(foreign, id, {}, anna), 403, /not permitted/i);
    refused(await put(foreign, id, {}, server.as()), 401, /Access denied/);
    const own = await body('w-own', { owner: annaId });
    refused(
      await put(own, await widget('<p>x</p>', { visibleToAuthenticatedUsers: false }), {}, anna),
      404,
      /No object/,
    );
    expect((await put(own, id, {}, anna)).status).toBe(200);
    expect(await childrenOf(admin, foreign)).toEqual([]);
  });

  it('are refused without a source, too large, or when they are none', async () => {
    const into = await body('w-refused');
    refused(await put(into, await widget(null)), 422, /no source/);
    refused(await put(into, annaId), 422, /no widget/);
    refused(await put(into, 'x'), 422, /no widget/);
    refused(await put(into, await widget('[a]'.repeat(5000)), { a: 'x'.repeat(1000) }), 422, /at most 4194304/);
    refused(await put(into, await widget('[a]'), { a: { b: 1 } }), 422, /must be a text/);
    expect(await childrenOf(admin, into)).toEqual([]);
  });
});
