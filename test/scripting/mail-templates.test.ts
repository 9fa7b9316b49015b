/** Scripts in the templates of registration mails: what becomes of failures, what is markup. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { evaluateMail } from '../../src/main/scripting/calling/mails.js';
import { Scripting } from '../../src/main/scripting/calling/scripting.js';
import { ScriptWorld } from './support.js';

const KEY = '0b9f8e4c-3b1d-4d8e-9a53-0e5d2f1c7a66!1700000000000';
const LINK = `https://shop.example/reset-password?key=${KEY}&target=%2F`;

let world: ScriptWorld;
let scripting: Scripting;
let userId: string;
let adminId: string;

beforeAll(async () => {
  world = await ScriptWorld.open();
  scripting = new Scripting(world.parts);
  userId = await world.create('User', { name: '<b>me</b>', eMail: 'me@example.com' });
  adminId = await world.create('User', { name: 'admin', isAdmin: true });
  // Members of a group do not see it by that.
  await world.create('Group', {
    name: '<i>group</i>',
    members: [{ id: userId }],
    visibleToAuthenticatedUsers: true,
  });
});
beforeEach(() => {
  world.lines.length = 0;
});
afterAll(() => world.close());

const mails = (
  texts: readonly string[],
  { isHtml = false, longest = 10_000, of = userId } = {},
): Promise<readonly string[]> =>
  evaluateMail(
    scripting,
    {
      userId: of,
      title: 'RESET_PASSWORD',
      locale: undefined,
      values: new Map([
        ['link', LINK],
        ['posted', 'a & b'],
      ]),
      texts: texts.map((text) => ({ text, isHtml })),
    },
    longest,
  );

describe('a mail whose scripts fail as a whole', () => {
  it.each([
    ['by error()', "${error('name', 'wrong', link)}"],
    ['when they are committed', "${create('Folder', 'name', '')}"],
  ])('is made all the same: %s', async (_, script) => {
    const [subject, body] = await mails(['Hello ${upper(posted)}', `${script}|\${upper('x')}|\${link}`], {
      of: adminId,
    });
    expect(subject).toBe('Hello A & B');
    expect(body).toMatch(/\|X\|https:.*$/);
    expect(body).toContain(LINK);
    const [line = '', ...others] = world.lines.filter((one) => one.includes('is taken back'));
    expect([line, others]).toEqual([expect.stringMatching(/WARN.*RESET_PASSWORD/), []]);
    expect(world.lines.join('')).not.toContain(KEY);
  });

  it('has the texts that were made in time, and in the others names and gaps; what comes later is not run', async () => {
    const texts = [
      '${upper(posted)}',
      "${link}: ${log('first')}${sleep(700)}${log('later')} ${{ 1 }} ${posted}",
      '${link}${log("last")}',
    ];
    expect(await mails(texts, { longest: 200 })).toEqual(['A & B', `${LINK}:   a & b`, LINK]);
    await sleep(1000);
    const lines = world.lines.join('');
    expect(lines).toContain('first');
    expect(lines).not.toMatch(/later|last/);
  });

  it('is tried again when no script has run', async () => {
    const mail = {
      userId: 'gone',
      title: 'RESET_PASSWORD',
      locale: undefined,
      values: new Map<string, string>(),
      texts: [],
    };
    await expect(evaluateMail(scripting, mail)).rejects.toThrow('is gone');
  });
});

describe('in HTML', () => {
  it.each([
    ['${me.name}', '&lt;b&gt;me&lt;/b&gt;'],
    ['${(me.name)}', '&lt;b&gt;me&lt;/b&gt;'],
    ["${('<br>', (me.name))}", '&lt;br&gt;&lt;b&gt;me&lt;/b&gt;'],
    ['${me.groups[0].name}', '&lt;i&gt;group&lt;/i&gt;'],
    ['${first(me.groups).name}', '&lt;i&gt;group&lt;/i&gt;'],
    ['${me.nothing!nobody}', 'nobody'],
    ["${'<br>' me.name}", '&lt;br&gt;'],
    ["${concat('<u>', posted)}", '<u>a &amp; b'],
    ["${('<br>', upper('<u>'), posted)}", '<br><U>a &amp; b'],
    ['${posted}|${(posted)}', 'a &amp; b|a &amp; b'],
  ])('%s is %s', async (script, expected) => {
    expect(await mails([script], { isHtml: true })).toEqual([expected]);
  });
});
