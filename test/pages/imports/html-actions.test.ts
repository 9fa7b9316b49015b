/** The actions `insert-html` and `replace-html` of events (docs/interface/pages.md 7.3). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { getPage, makeAction, makePage, nodeNamed } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { childrenOf, pageOf } from '../../support/trees.js';
import { browserPath, sentBy, Stage, unique } from '../actions/browser.js';
import { refused, SHOWN } from './support.js';

describe('html actions over REST', () => {
  let server: TestServer;
  let admin: Client;
  let anna: Client;
  let annaId: string;

  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    annaId = await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
    anna = server.as('anna', 'Anna-pass-1');
    await admin.defineType('Snippet', [
      { name: 'html', propertyType: 'String' },
      { name: 'size', propertyType: 'Integer' },
    ]);
    await allow(admin, 'DOMElement/_id/event', 'user', ['POST']);
  });
  afterAll(() => server.stop());

  interface Scene {
    readonly path: string;
    readonly name: string;
    readonly target: string;
    readonly child: string;
  }
  const scene = async (action: string, owner: object = {}): Promise<Scene> => {
    const [name, button, box, old] = ['page', 'button', 'box', 'old'].map(unique) as [string, string, string, string];
    const tree = ['div', { name: box, ...owner }, ['i', { name: old }, 'old']] as const;
    await makePage(admin, name, [['html', {}, ['body', {}, ['button', { name: button }], tree]]]);
    await makeAction(admin, button, { event: 'click', action });
    const path = `/DOMElement/${await nodeNamed(admin, button)}/event`;
    return { path, name, target: await nodeNamed(admin, box), child: await nodeNamed(admin, old) };
  };
  const snippet = (html: string, fields: object = { visibleToAuthenticatedUsers: true }): Promise<string> =>
    admin.create('Snippet', { html, size: 1, ...fields });
  const send = ({ path, target }: Scene, sourceObject: string, more: object = {}, client = admin): Promise<Answer> =>
    client.post(path, { svcTarget: target, sourceObject, sourceProperty: 'html', ...more });

  it('insert-html puts what a property has behind the last child, or before one; replace-html in the place of one', async () => {
    const inserting = await scene('insert-html');
    const source = await snippet('<p>new</p>text');
    const answer = await send(inserting, source);
    expect([answer.status, answer.body.result.length], answer.text).toEqual([200, 2]);
    const now = await childrenOf(admin, inserting.target);
    expect(now).toEqual([inserting.child, ...answer.body.result.map(({ id }: { id: string }) => id)]);
    await send(inserting, await snippet('<b>first</b>'), { childId: inserting.child });
    expect((await childrenOf(admin, inserting.target)).indexOf(inserting.child)).toBe(1);

    const replacing = await scene('replace-html');
    expect((await send(replacing, source, { childId: replacing.child })).status).toBe(200);
    expect(await pageOf(admin, replacing.child)).toBeNull();
    expect((await getPage(anna, `/${replacing.name}`)).text).toMatch(/<p>new<\/p>\s*text/);
  });

  it('nothing in it runs, whoever sets it off', async () => {
    const one = await scene('insert-html');
    const html = '<p onclick="alert(1)">${me.name}</p><script>alert(1)</script><a href="javascript:alert(1)">x</a>';
    expect((await send(one, await snippet(html))).status).toBe(200);
    const { text } = await getPage(admin, `/${one.name}`);
    expect(text).toContain('<p>${me.name}</p>');
    expect(text).not.toMatch(/alert/);
  });

  it('needs the right to write the target, and to read the source', async () => {
    const foreign = await scene('insert-html');
    const source = await snippet('<p>new</p>');
    refused(await send(foreign, source, {}, anna), 403, /not permitted/i);
    refused(await send(foreign, source, {}, server.as()), 401, /Access denied/);
    expect(await childrenOf(admin, foreign.target)).toEqual([foreign.child]);
    const own = await scene('insert-html', { owner: annaId });
    refused(await send(own, await snippet('<p>secret</p>', {}), {}, anna), 404, /No object/);
    expect((await send(own, source, {}, anna)).status).toBe(200);
    const replacing = await scene('replace-html');
    refused(await send(replacing, source, { childId: replacing.child }, anna), 403, /not permitted/i);
    expect(await childrenOf(admin, replacing.target)).toEqual([replacing.child]);
  });

  it('refuses what is no HTML of an object, too large, or no child', async () => {
    const one = await scene('insert-html');
    const source = await snippet('<p>new</p>');
    refused(await admin.post(one.path, { svcTarget: one.target }), 422, /without an object and its property/);
    for (const sourceProperty of ['size', 'none', 'html.x', 'delete()'])
      refused(await send(one, source, { sourceProperty }), 422, /is no text|without an object/);
    refused(await send(one, await snippet('<b>x</b>'.repeat(10_001))), 422, /more than 20000 nodes/);
    refused(await admin.post(one.path, { sourceObject: source, sourceProperty: 'html' }), 422, /without a target/);
    refused(await send(one, source, { svcTarget: source }), 422, /no node of a page/);
    refused(
      await admin.post(one.path, { svcTarget: one.target, sourceObject: annaId, sourceProperty: 'password' }),
      422,
      /is no text/,
    );
    const replacing = await scene('replace-html');
    refused(await send(replacing, source), 422, /without a child/);
    refused(await send(replacing, source, { childId: one.child }), 422, /not a child/);
    expect(await childrenOf(admin, one.target)).toEqual([one.child]);
  });
});

describe.skipIf(browserPath === undefined)('html actions in a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
    await stage.admin.defineType('Snippet', [{ name: 'html', propertyType: 'String' }]);
  });
  afterAll(() => stage.close());

  it.each(['insert-html', 'replace-html'])('%s by a click, and the part is shown anew', async (action) => {
    const { admin } = stage;
    const [button, box, old] = ['button', 'box', 'old'].map(unique) as [string, string, string];
    const html = '<b onclick="document.title = 1">new</b>';
    const source = await admin.create('Snippet', { html, ...SHOWN });
    const path = await stage.make(
      ['button', { name: button, _html_class: 'go' }, 'go'],
      ['div', { name: box, _html_id: 'box', owner: stage.annaId }, ['i', { name: old, owner: stage.annaId }, 'old']],
    );
    const constant = (parameterName: string, constantValue: string): object => ({
      ...{ parameterName, constantValue, parameterType: 'constant-value' },
    });
    await makeAction(
      admin,
      button,
      {
        ...{ event: 'click', action, idExpression: await nodeNamed(admin, box) },
        ...{ successBehaviour: 'partial-refresh-linked', successTargets: [box] },
      },
      [
        constant('sourceObject', source),
        constant('sourceProperty', 'html'),
        ...(action === 'replace-html' ? [constant('childId', await nodeNamed(admin, old))] : []),
      ] as Record<string, unknown>[],
    );
    const { page, problems } = await stage.visit(path);
    const title = await page.title();
    const answered = page.waitForResponse((one) => one.url().endsWith('/event'));
    const body = await sentBy(page, () => page.click('.go'));
    const answer = await answered;
    expect([answer.status(), answer.status() === 200 ? '' : await answer.text()]).toEqual([200, '']);
    expect(body).toMatchObject({ sourceObject: source, sourceProperty: 'html' });
    await page.locator('#box b').click();
    expect(await page.locator('#box i').count()).toBe(action === 'insert-html' ? 1 : 0);
    expect(await page.title()).toBe(title);
    expect(problems).toEqual([]);
  });
});
