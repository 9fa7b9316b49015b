/** What the script for browsers makes of answers, options and parameters, row by row, beyond `actions/` (docs/interface/pages.md 7.4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAction, nodeNamed } from '../support/pages.js';
import { browserPath, sentBy, Stage, unique } from './actions/browser.js';

describe.skipIf(browserPath === undefined)('the script in a browser', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open();
    await stage.admin.create('SchemaMethod', { name: 'answer', source: '{ return { a: $.args.a, b: $.args.b }; }' });
  });
  afterAll(() => stage.close());

  it('200 and 201 are success, all others failure, whatever they say', async () => {
    const button = unique('button');
    const path = await stage.make(['button', { name: button }, 'go']);
    const after = (outcome: string): object => ({
      [`${outcome}Notifications`]: 'fire-event',
      [`${outcome}NotificationsEvent`]: `was-${outcome}`,
    });
    await makeAction(stage.admin, button, { event: 'click', action: 'none', ...after('success'), ...after('failure') });
    const { page } = await stage.visit(path);
    await page.evaluate(`window.was = [];
      for (const name of ['was-success', 'was-failure'])
        document.addEventListener(name, (event) => window.was.push(name + ' ' + event.detail.status));`);
    let status = 0;
    await page.route('**/event', (route) =>
      route.fulfill({ status, body: status === 503 ? '<p>no JSON' : '{"result":{}}' }),
    );
    const expected: string[] = [];
    for (status of [200, 201, 400, 401, 403, 404, 405, 422, 500, 503]) {
      expected.push(`was-${status < 300 ? 'success' : 'failure'} ${String(status)}`);
      await page.click('button:not(.svc-action-running)');
      await expect.poll(() => page.evaluate('window.was')).toEqual(expected);
    }
  });

  it('the browser does nothing itself, and elements around hear nothing, unless options say so', async () => {
    const [quiet, loud] = [unique('quiet'), unique('loud')];
    const path = await stage.make([
      'div',
      { _html_id: 'around' },
      ['a', { name: quiet, _html_id: 'quiet', _html_href: '#quiet' }, 'x'],
      ['a', { name: loud, _html_id: 'loud', _html_href: '#loud' }, 'x'],
    ]);
    const action = { event: 'click', action: 'none' };
    await makeAction(stage.admin, quiet, action);
    await makeAction(stage.admin, loud, { ...action, options: '{"preventDefault":false,"stopPropagation":false}' });
    const { page, problems } = await stage.visit(path);
    await page.evaluate(`window.heard = [];
      document.getElementById('around').addEventListener('click', (event) => window.heard.push(event.target.id))`);
    for (const id of ['quiet', 'loud']) await sentBy(page, () => page.click(`#${id}`));
    expect([await page.evaluate('window.heard'), new URL(page.url()).hash]).toEqual([['loud'], '#loud']);
    expect(problems).toEqual([]);
  });

  it('what comes back are parameters of what is shown anew; an empty text takes one away', async () => {
    const [button, part] = [unique('button'), unique('part')];
    const path = await stage.make(
      ['button', { name: button }, 'go'],
      ['p', { name: part }, '[${request.a}|${request.b}|${request.c}]'],
    );
    const constant = (parameterName: string, constantValue: string): Record<string, unknown> => ({
      ...{ parameterName, constantValue, parameterType: 'constant-value' },
    });
    await makeAction(
      stage.admin,
      button,
      {
        ...{ event: 'click', action: 'method', method: 'answer' },
        ...{ successBehaviour: 'partial-refresh-linked', successTargets: [part] },
      },
      [constant('a', 'new'), constant('b', 'json("")')],
    );
    const { page, problems } = await stage.visit(`${path}?a=old&b=old&c=kept`);
    const asked = page.waitForRequest((request) => request.url().includes('/svc/html/'));
    await page.click('button');
    const { pathname, searchParams } = new URL((await asked).url());
    expect(pathname).toBe(`/svc/html/${await nodeNamed(stage.admin, part)}`);
    expect([searchParams.get('a'), searchParams.get('b'), searchParams.get('c')]).toEqual(['new', null, 'kept']);
    await expect.poll(() => page.textContent('p')).toBe('[new||kept]');
    expect(problems).toEqual([]);
  });
});
