/** docs/interface/scripting.md 5: keywords, as far as they need no server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANONYMOUS, SYSTEM, type Actor } from '../../src/main/schema/index.js';
import { lookupKeyword, memberOf, propertyOf } from '../../src/main/scripting/run/names/lookup.js';
import { isScriptObject, ScriptEntity, type ScriptValue } from '../../src/main/scripting/language/values.js';
import { sessionIdOf } from '../../src/main/security/index.js';
import { requestOf, ScriptWorld, type ContextOptions } from './support.js';

let world: ScriptWorld;
beforeAll(async () => {
  world = await ScriptWorld.open();
});
afterAll(() => world.close());

async function keyword(name: string, options: ContextOptions = {}): Promise<ScriptValue | undefined> {
  return lookupKeyword(name, world.context(options));
}

/** `me.name` and the like. */
async function member(name: string, key: string, options: ContextOptions = {}): Promise<ScriptValue> {
  const context = world.context(options);
  return memberOf((await lookupKeyword(name, context)) ?? null, key, context);
}

const request = requestOf(
  {
    path: '/svc/rest/Project/a%20b',
    query: 'a=1&b=2&b=3',
    headers: { host: 'example.org:8443' },
    scheme: 'https',
    status: 201,
  },
  { a: '1', b: ['2', '3'] },
);

describe('keywords', () => {
  it.each<[string, ScriptValue]>([
    ['locale', 'en_US'],
    ['statusCode', 201n],
    ['status_code', 201n],
    ['baseUrl', 'https://example.org:8443'],
    ['base_url', 'https://example.org:8443'],
    ['host', 'example.org'],
    ['port', 8443n],
    ['ip', '192.0.2.1'],
    ['depth', -1n],
    ['remoteAddress', '192.0.2.7'],
    ['remote_address', '192.0.2.7'],
    ['pathInfo', '/Project/a b'],
    ['path_info', '/Project/a b'],
    ['queryString', 'a=1&b=2&b=3'],
    ['query_string', 'a=1&b=2&b=3'],
    [
      'parameterMap',
      new Map([
        ['a', ['1']],
        ['b', ['2', '3']],
      ]),
    ],
    [
      'parameter_map',
      new Map([
        ['a', ['1']],
        ['b', ['2', '3']],
      ]),
    ],
    ['applicationRootPath', ''],
    ['tenantIdentifier', null],
    ['tenant_identifier', null],
    ['this', null],
    ['methodParameters', null],
    ['session', null],
  ])('%s', async (name, value) => {
    expect(await keyword(name, { request })).toEqual(value);
  });

  it.each<[string, ScriptValue]>([
    ['request', null],
    ['session', null],
    ['response', null],
    ['statusCode', null],
    ['host', null],
    ['port', null],
    ['ip', null],
    ['remoteAddress', null],
    ['pathInfo', null],
    ['queryString', null],
    ['parameterMap', null],
    ['baseUrl', 'http://localhost:8082'],
  ])('%s without a request', async (name, value) => {
    expect(await keyword(name)).toEqual(value);
  });

  it('leave the usual ports out of URLs', async () => {
    const at = (host: string, scheme: 'http' | 'https'): ContextOptions => ({
      request: requestOf({ scheme, headers: { host } }),
    });
    expect(await keyword('baseUrl', at('example.org', 'http'))).toBe('http://example.org');
    expect(await keyword('baseUrl', at('example.org:443', 'https'))).toBe('https://example.org');
    expect(await keyword('baseUrl', at('[::1]:8082', 'http'))).toBe('http://[::1]:8082');
    expect(await keyword('host', at('[::1]:8082', 'http'))).toBe('[::1]');
    expect(await keyword('port', at('example.org', 'https'))).toBe(443n);
  });

  it('follow the settings', async () => {
    const other = await ScriptWorld.open({
      'application.baseurl.override': 'https://www.example.org',
      'application.host': '192.0.2.1',
    });
    try {
      expect(await lookupKeyword('baseUrl', other.context({ request }))).toBe('https://www.example.org');
      expect(await lookupKeyword('ip', other.context({ request }))).toBe('192.0.2.1');
    } finally {
      await other.close();
    }
  });

  it('are hidden by constants, and are known in no other spelling', async () => {
    expect(await keyword('locale', { constants: { locale: 'x' } })).toBe('x');
    expect(await keyword('Locale')).toBe(undefined);
    expect(await keyword('constructor')).toBe(undefined);
    expect(await keyword('__proto__')).toBe(undefined);
  });

  it('this, the arguments, and the id of the current object', async () => {
    const context = world.context();
    const self = await world.entity(await world.create('Folder', { name: 'docs' }), context);
    const parameters = new Map<string, ScriptValue>([['a', 1n]]);
    const inside = { ...context, self, parameters, constants: new Map([['current', self]]) };
    expect(lookupKeyword('this', inside)).toBe(self);
    expect(lookupKeyword('id', inside)).toBe(self.id);
    for (const name of ['methodParameters', 'method_parameters', 'arguments', 'args']) {
      expect(lookupKeyword(name, inside)).toBe(parameters);
    }
    expect(propertyOf(self, 'nothing', inside)).toBe(undefined);
    expect(memberOf(self, 'nothing', inside)).toBe(null);
  });

  it('now is a date', async () => {
    const before = Date.now();
    const now = await keyword('now');
    expect(now).toBeInstanceOf(Date);
    expect((now as Date).getTime()).toBeGreaterThanOrEqual(before);
  });

  it('statusCode is what a script set last', () => {
    const context = world.context({ request });
    context.run.response.status = 404;
    expect(lookupKeyword('statusCode', context)).toBe(404n);
  });

  it('request has the parameters', async () => {
    expect(await member('request', 'a', { request })).toBe('1');
    expect(await member('request', 'b', { request })).toEqual(['2', '3']);
    expect(await member('request', 'c', { request })).toBe(null);
  });

  it('stores: of the request, and of the instance', async () => {
    const context = world.context();
    expect(lookupKeyword('requestStore', context)).toBe(context.run.requestStore);
    expect(lookupKeyword('vars', context)).toBe(context.run.requestStore);
    world.parts.stores.application.set('x', 1n);
    expect(await member('applicationStore', 'x')).toBe(1n);
    expect(await member('application_store', 'x')).toBe(1n);
    expect(await member('application_store', 'y')).toBe(null);
  });
});

describe('me', () => {
  it('is nobody for anonymous requests, and the superuser in jobs', async () => {
    expect(await keyword('me', { actor: ANONYMOUS })).toBe(null);
    expect(await member('me', 'name', { actor: SYSTEM })).toBe('superadmin');
    expect(await member('me', 'id', { actor: SYSTEM })).toBe('0'.repeat(32));
  });

  it('is the object of the user, one in the whole run', async () => {
    const id = await world.create('User', { name: 'anna' });
    const actor: Actor = { ...ANONYMOUS, id, name: 'anna' };
    const context = world.context({ actor });
    const me = await lookupKeyword('me', context);
    expect(me).toBeInstanceOf(ScriptEntity);
    expect(await lookupKeyword('me', context)).toBe(me);
    expect(await member('me', 'name', { actor })).toBe('anna');
  });

  it('has a name where there is no object', async () => {
    const actor: Actor = { ...ANONYMOUS, id: 'a'.repeat(32), name: 'a service' };
    expect(await member('me', 'name', { actor })).toBe('a service');
  });
});

describe('session', () => {
  it('has attributes beside its times, for the one it belongs to', async () => {
    const id = await world.create('User', { name: 'bert' });
    const value = await world.parts.security.sessions.begin(id);
    const own = { request: requestOf({ headers: { cookie: `JSESSIONID=${value}` } }) };
    const before = Date.now();
    expect(await member('session', 'id', own)).toBe(sessionIdOf(value));
    expect(await member('session', 'isNew', own)).toBe(false);
    for (const key of ['creationTime', 'lastAccessedTime']) {
      const time = Number(await member('session', key, own));
      expect(Math.abs(time - before)).toBeLessThan(60_000);
    }
    const session = await keyword('session', own);
    if (session === null || session === undefined || !isScriptObject(session)) throw new Error('no session');
    await session.set?.('cart', ['a']);
    expect(() => session.set?.('id', 'x')).toThrow('cannot be set');
    expect(await member('session', 'cart', own)).toEqual(['a']);

    const byHeader = { request: requestOf({ headers: { 'x-svcsessiontoken': value } }) };
    expect(await member('session', 'cart', byHeader)).toEqual(['a']);
    const another = await world.parts.security.sessions.begin(id);
    const other = { request: requestOf({ headers: { cookie: `JSESSIONID=${another}` } }) };
    expect(await member('session', 'cart', other)).toBe(null);
    await world.parts.security.sessions.end(value);
    expect(await keyword('session', own)).toBe(null);
  });
});
