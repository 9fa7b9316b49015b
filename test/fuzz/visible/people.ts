/** Who may do what, and who is who: grants, groups, sessions, tokens, passwords, users that are blocked. */
import { cookieOf, type Client } from '../../support/client.js';
import { allow, flagsFor } from '../../support/permissions.js';
import type { TestServer } from '../../support/server.js';
import { bearer } from '../../support/tokens.js';
import { made, must, status, type Subject } from './subject.js';

const PASSWORD = 'a-password';
const THING = '/svc/rest/Seen';
const ME = '/svc/rest/me';

const login = (name: string, password = PASSWORD): Record<string, string> => ({
  'X-User': name,
  'X-Password': password,
});

/** A grant of an endpoint to one user, made and deleted in turn. */
async function grant(admin: Client): Promise<Subject> {
  const user = await admin.create('User', { name: 'granted', password: PASSWORD });
  let id = '';
  return {
    name: 'a grant',
    change: async (by) => {
      if (id === '') {
        const grantees = [{ id: user, allowed: ['read'] }];
        id = await made(by, 'ResourceAccess', { signature: 'Seen', flags: flagsFor('user', ['GET']), grantees });
      } else {
        await must(by, 'DELETE', `/svc/rest/ResourceAccess/${id}`);
        id = '';
      }
    },
    looks: () => [{ path: THING, headers: login('granted'), see: status, expected: id === '' ? 401 : 200 }],
  };
}

/** A user in a group that has a grant, and out of it. */
async function membership(admin: Client): Promise<Subject> {
  const user = await admin.create('User', { name: 'member', password: PASSWORD });
  const group = await admin.create('Group', { name: 'seeing' });
  const grantees = [{ id: group, allowed: ['read'] }];
  await admin.create('ResourceAccess', { signature: 'Seen', flags: flagsFor('user', ['GET']), grantees });
  let isIn = false;
  return {
    name: 'a group',
    change: async (by) => {
      isIn = !isIn;
      await must(by, 'PUT', `/svc/rest/Group/${group}`, { members: isIn ? [user] : [] });
    },
    looks: () => [{ path: THING, headers: login('member'), see: status, expected: isIn ? 200 : 401 }],
  };
}

/** A user who is blocked and let in again. */
async function blocked(admin: Client): Promise<Subject> {
  const user = await admin.create('User', { name: 'blocked', password: PASSWORD });
  let isBlocked = false;
  return {
    name: 'a blocked user',
    change: async (by) => {
      isBlocked = !isBlocked;
      await must(by, 'PUT', `/svc/rest/User/${user}`, { blocked: isBlocked });
    },
    looks: () => [{ path: ME, headers: login('blocked'), see: status, expected: isBlocked ? 401 : 200 }],
  };
}

/** A password that becomes another one. */
async function password(admin: Client): Promise<Subject> {
  const user = await admin.create('User', { name: 'changing', password: 'password-0' });
  let count = 0;
  const look = (back: number, expected: number) =>
    ({
      path: ME,
      headers: login('changing', `password-${String(count - back)}`),
      see: status,
      expected,
      few: true,
    }) as const;
  return {
    name: 'a password',
    change: async (by) => {
      count++;
      await must(by, 'PUT', `/svc/rest/User/${user}`, { password: `password-${String(count)}` });
    },
    looks: () => (count === 0 ? [look(0, 200)] : [look(0, 200), look(1, 401)]),
  };
}

/** Sessions, which begin, and are ended by their user or by an administrator. */
async function session(admin: Client): Promise<Subject> {
  await admin.create('User', { name: 'session', password: PASSWORD });
  const id = ((await admin.get('/User?name=session')).body.result as { id: string }[])[0]?.id ?? '';
  let cookie = '';
  let isOpen = false;
  let ends = 0;
  return {
    name: 'a session',
    change: async (by) => {
      if (!isOpen) {
        const got = await must(by, 'POST', '/svc/rest/login', { name: 'session', password: PASSWORD }, {});
        cookie = cookieOf({ ...got, body: undefined }, 'JSESSIONID');
      } else if (ends++ % 2 === 0) {
        await must(by, 'PUT', `/svc/rest/User/${id}`, { sessionIds: [] });
      } else {
        await must(by, 'POST', '/svc/rest/logout', {}, { Cookie: cookie });
      }
      isOpen = !isOpen;
    },
    looks: () =>
      cookie === '' ? [] : [{ path: ME, headers: { Cookie: cookie }, see: status, expected: isOpen ? 200 : 401 }],
  };
}

/** A pair of tokens, which is taken back. */
async function tokens(admin: Client): Promise<Subject> {
  const user = await admin.create('User', { name: 'token', password: PASSWORD });
  let access = '';
  let isValid = false;
  return {
    name: 'tokens',
    change: async (by) => {
      if (isValid) await must(by, 'PUT', `/svc/rest/User/${user}`, { refreshTokens: [] });
      else {
        const { text } = await must(by, 'POST', '/svc/rest/token', { name: 'token', password: PASSWORD }, {});
        access = (JSON.parse(text) as { result: { access_token: string } }).result.access_token;
      }
      isValid = !isValid;
    },
    looks: () =>
      access === '' ? [] : [{ path: ME, headers: bearer(access), see: status, expected: isValid ? 200 : 401 }],
  };
}

export async function people({ admin }: TestServer): Promise<Subject[]> {
  for (const signature of ['_login', '_token']) await allow(admin, signature, 'anonymous', ['POST']);
  await allow(admin, '_logout', 'user', ['POST']);
  await allow(admin, 'User', 'user', ['GET']);
  return [
    await grant(admin),
    await membership(admin),
    await blocked(admin),
    await password(admin),
    await session(admin),
    await tokens(admin),
  ];
}
