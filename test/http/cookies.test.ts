import { expect, test } from 'vitest';
import { setCookie, type CookieOptions, type Exchange } from '../../src/main/http/index.js';
import { connect, withServer } from './support.js';

const PLAIN = { httpOnly: true, sameSite: 'Lax', secure: false } as const;

/** `Set-Cookie` lines of an answer for which `write` set cookies. */
async function sent(write: (x: Exchange) => void, cookies?: Parameters<typeof withServer>[2]): Promise<string[]> {
  let lines: string[] = [];
  await withServer(
    (x) => {
      write(x);
      x.end('ok');
    },
    async (url) => {
      lines = (await fetch(url)).headers.getSetCookie();
    },
    cookies,
  );
  return lines;
}

test('cookies are HttpOnly, Lax and for all paths unless told otherwise', async () => {
  expect(
    await sent((x) => {
      setCookie(x, 'a', 'b');
    }),
  ).toEqual(['a=b; Path=/; HttpOnly; SameSite=Lax']);
  expect(
    await sent((x) => {
      setCookie(x, 'a', '', { maxAge: 0, path: '/svc', httpOnly: false, sameSite: 'None', secure: true });
    }),
  ).toEqual(['a=; Path=/svc; Max-Age=0; Secure; SameSite=None']);
});

test('the settings are what cookies get by default; None without HTTPS gives way to Lax', async () => {
  const write = (x: Exchange): void => {
    setCookie(x, 'a', 'b');
  };
  expect(await sent(write, { cookies: { httpOnly: false, sameSite: 'Strict', secure: true } })).toEqual([
    'a=b; Path=/; Secure; SameSite=Strict',
  ]);
  expect(await sent(write, { cookies: { ...PLAIN, sameSite: 'None' } })).toEqual([
    'a=b; Path=/; HttpOnly; SameSite=Lax',
  ]);
  expect(await sent(write, { cookies: { ...PLAIN, sameSite: 'None', secure: true } })).toEqual([
    'a=b; Path=/; HttpOnly; Secure; SameSite=None',
  ]);
});

test('a response carries many cookies, and one of each name', async () => {
  expect(
    await sent((x) => {
      setCookie(x, 'a', '1');
      setCookie(x, 'ab', '2');
      setCookie(x, 'b', '3');
      setCookie(x, 'a', '4');
    }),
  ).toEqual([
    'a=4; Path=/; HttpOnly; SameSite=Lax',
    'ab=2; Path=/; HttpOnly; SameSite=Lax',
    'b=3; Path=/; HttpOnly; SameSite=Lax',
  ]);
});

test.each<[string, string, CookieOptions]>([
  ['', 'v', {}],
  ['a b', 'v', {}],
  ['a=', 'v', {}],
  ['a', 'x;y', {}],
  ['a', 'x\r\nSet-Cookie: b=c', {}],
  ['a', 'x y', {}],
  ['a', '"x"', {}],
  ['a', 'ü', {}],
  ['a', 'x'.repeat(5000), {}],
  ['a', 'v', { path: 'svc' }],
  ['a', 'v', { path: '/; Domain=evil.com' }],
  ['a', 'v', { path: '/\r\nX: y' }],
  ['a', 'v', { maxAge: -1 }],
  ['a', 'v', { maxAge: 1.5 }],
  ['a', 'v', { maxAge: Number.NaN }],
  ['a', 'v', { sameSite: 'None' }],
  ['__Host-a', 'v', {}],
  ['__Secure-a', 'v', {}],
  ['__Host-a', 'v', { secure: true, path: '/svc' }],
])('the cookie %j=%j %j is refused', async (name, value, options) => {
  expect(
    await sent((x) => {
      expect(() => {
        setCookie(x, name, value, options);
      }).toThrow(TypeError);
    }),
  ).toEqual([]);
});

test('request cookies: the first of a name, without quotes, and a limited number of them', async () => {
  await withServer(
    (x) => {
      x.end(JSON.stringify(['a', 'b', 'c', 'd', 'late'].map((name) => x.cookie(name) ?? null)));
    },
    async (_url, server) => {
      const c = await connect(server);
      const ask = async (lines: string): Promise<unknown> => {
        const before = c.text().length;
        c.send(`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`);
        await c.until(new RegExp(`^[^]{${String(before)}}[^]*]$`));
        return JSON.parse(c.text().slice(c.text().lastIndexOf('\r\n\r\n') + 4)) as unknown;
      };
      expect(await ask('')).toEqual([null, null, null, null, null]);
      expect(await ask('Cookie: a=1; b="x y"; a=2;c=;=e;d\r\n')).toEqual(['1', 'x y', '', null, null]);
      expect(await ask('Cookie: a=1\r\nCookie: b=k=v==; a=3\r\n')).toEqual(['1', 'k=v==', null, null, null]);
      expect(await ask(`Cookie: ${'x=1;'.repeat(300)} late=1\r\n`)).toEqual([null, null, null, null, null]);
    },
  );
});
