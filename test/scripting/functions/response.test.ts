import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/main/http/index.js';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import { requestOf, ScriptWorld } from '../support.js';
import { call } from './support.js';

/** An exchange that remembers what is set. */
function answer(): { readonly exchange: Exchange; readonly headers: string[] } {
  const headers: string[] = [];
  const exchange = {
    status: 200,
    setHeader: (name: string, value: string) => headers.push(`${name}: ${value}`),
  } as unknown as Exchange;
  return { exchange, headers };
}

describe('the request of a script and the answer to it', () => {
  let world: ScriptWorld;
  let context: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
  });
  beforeEach(() => {
    const cookieDefaults = { httpOnly: true, sameSite: 'Lax', secure: false } as const;
    const headers = { 'x-client': 'a', cookie: 'theme=dark' };
    context = world.context({ request: requestOf({ headers, cookieDefaults }) });
  });
  afterAll(() => world.close());

  function applied(): { readonly status: number; readonly headers: readonly string[] } {
    const { exchange, headers } = answer();
    context.run.response.applyTo(exchange);
    return { status: exchange.status, headers };
  }

  it('has headers that scripts add, replace and take back', async () => {
    expect(await call(context, 'setResponseHeader', 'X-A', 'one')).toBeNull();
    await call(context, 'setResponseHeader', 'x-a', 'two');
    await call(context, 'setResponseHeader', 'X-B', 'one');
    await call(context, 'setResponseHeader', 'X-B', 'two', true);
    await call(context, 'setResponseHeader', 'X-C', 1);
    await call(context, 'removeResponseHeader', 'x-c');
    await call(context, 'removeResponseHeader', 'Server');
    await call(context, 'setResponseHeader', 'X-D', null);
    expect(applied()).toEqual({ status: 200, headers: ['x-a: one, two', 'X-B: two'] });
    expect(context.run.response.header('x-b')).toBe('two');
    expect(context.run.response.isRemoved('server')).toBe(true);
  });

  it.each([
    ['X-A', 'a\r\nSet-Cookie: b=c'],
    ['X-A\r\nX-B', 'a'],
    ['X A', 'a'],
    ['', 'a'],
    ['Content-Length', '5'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'close'],
    ['X-A', 'x'.repeat(20_000)],
  ])('refuses the header %j', (name, value) => {
    expect(() => call(context, 'setResponseHeader', name, value)).toThrow(ScriptError);
    expect(applied().headers).toEqual([]);
  });

  it('has the status that scripts set', async () => {
    expect(await call(context, 'setResponseCode', 201)).toBeNull();
    expect(applied().status).toBe(201);
    for (const status of [0, 101, 600, 'x']) {
      expect(await call(context, 'setResponseCode', status)).toBe('Usage: setResponseCode(status)');
    }
    await call(context, 'setResponseCode', null);
    expect(applied().status).toBe(201);
  });

  it('has cookies that scripts set', async () => {
    expect(await call(context, 'setCookie', 'theme', 'dark')).toBeNull();
    await call(context, 'setCookie', 'a', 'b', true, false, 3600, 'example.com', '/x');
    await call(context, 'setCookie', 'c', 'd', false, null, -1, '', '');
    await call(context, 'setCookie', null, 'd');
    expect(applied().headers).toEqual([
      'Set-Cookie: theme=dark; Path=/; HttpOnly; SameSite=Lax',
      'Set-Cookie: a=b; Path=/x; Domain=example.com; Max-Age=3600; Secure; SameSite=Lax',
      'Set-Cookie: c=d; Path=/; HttpOnly; SameSite=Lax',
    ]);
    expect(await call(context, 'setCookie', 'a', 'b', true, true, 'soon')).toMatch(/^Usage: setCookie/);
  });

  it.each([
    ['a b', 'c', null, null],
    ['a', 'b; Path=/', null, null],
    ['a', 'b\r\nX: y', null, null],
    ['a', 'b', 'example.com; Secure', null],
    ['a', 'b', null, '/x; Domain=y'],
  ])('refuses the cookie %j=%j', (name, value, domain, path) => {
    expect(() => call(context, 'setCookie', name, value, true, true, 1, domain, path)).toThrow(ScriptError);
    expect(applied().headers).toEqual([]);
  });

  it('has only so many cookies', () => {
    expect(() => {
      for (let i = 0; i < 300; i++) void call(context, 'setCookie', `c${String(i)}`, 'x');
    }).toThrow(ScriptError);
  });

  it('shows headers and cookies of the request', async () => {
    expect(await call(context, 'getRequestHeader', 'X-Client')).toBe('a');
    expect(await call(context, 'getRequestHeader', 'X-Other')).toBeNull();
    expect(await call(context, 'getRequestHeader', null)).toBeNull();
    expect(await call(context, 'getCookie', 'theme')).toBe('dark');
    expect(await call(context, 'getCookie', 'other')).toBeNull();
    expect(await call(context, 'getCookie', null)).toBeNull();
    expect(await call(context, 'removeResponseHeader', null)).toBeNull();
  });

  it('is nothing without a request', async () => {
    const none = world.context();
    expect(await call(none, 'getRequestHeader', 'X-Client')).toBeNull();
    expect(await call(none, 'getCookie', 'theme')).toBeNull();
    expect(await call(none, 'setCookie', 'a', 'b')).toBeNull();
  });
});
