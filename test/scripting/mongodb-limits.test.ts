/** Where collections of MongoDB may lead, how long calls last, and what servers cannot do to us. */
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { deflateSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseMongoUrl } from '../../src/main/scripting/outside/databases/mongodb-url.js';
import { newCertificate } from '../support/certificates.js';
import { until } from '../support/files.js';
import { TestServer } from '../support/server.js';
import { fakeMongo, HELLO, message, type FakeMongo } from './fake-mongodb.js';
import { MongoScripts } from './mongo-scripts.js';

let server: TestServer;
let scripts: MongoScripts;
const fakes: FakeMongo[] = [];

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'application.scripting.js.timeout.total': 20_000 } });
  scripts = new MongoScripts(server, 1);
});
afterEach(() => {
  for (const one of fakes.splice(0)) one.stop();
});
afterAll(() => server.stop());

async function fake(...args: Parameters<typeof fakeMongo>): Promise<FakeMongo> {
  const made = await fakeMongo(...args);
  fakes.push(made);
  return made;
}

const isHello = (command: object): boolean => 'hello' in command || 'ismaster' in command;

/** A script that reads one document. */
function reading(url: string): string {
  return `{ return $.mongodb('${url}', 'test', 'c').findOne({}); }`;
}

describe('URLs', () => {
  const url = (text: string): ReturnType<typeof parseMongoUrl> => parseMongoUrl(text);

  it('have one host, a user, and options that say how to encrypt', () => {
    expect(url('mongodb://localhost')).toMatchObject({ auth: undefined, tls: undefined, unknown: [] });
    const full = url(
      'mongodb://us%40er:p%3Aw@db.example.com:27018/shop?tls=true&authSource=users&x=1&retryWrites=true',
    );
    expect(full).toMatchObject({
      auth: { username: 'us@er', password: 'p:w', source: 'users', mechanism: 'DEFAULT' },
      tls: { checked: true, named: true },
      unknown: ['x'],
    });
    expect(String(full.url)).toBe('mongodb://db.example.com:27018/shop');
    expect(url('mongodb://u:p@h/shop').auth?.source).toBe('shop');
    expect(url('mongodb://u:p@h').auth?.source).toBe('admin');
    expect(url('mongodb://[::1]:5/?ssl=true&tlsAllowInvalidCertificates=true').tls).toEqual({
      checked: false,
      named: true,
    });
    expect(url('mongodb://h/?tls=true&tlsInsecure=true').tls).toEqual({ checked: false, named: false });
  });

  it.each([
    ['mongodb+srv://user:secret@cluster.example.com/', 'mongodb+srv://'],
    ['mongodb://user:secret@a,b/', 'several hosts'],
    ['mongodb://user:secret@a:1,b:2/', 'several hosts'],
    ['mongodb://user:sec,ret@a:1,b:2/', 'several hosts'],
    ['mongodb://%2Ftmp%2Fsecret.sock/', 'a host'],
    ['mongodb:///secret', 'a host'],
    ['http://user:secret@host', 'mongodb://'],
    ['mongodb://user:secret@host:port/', 'cannot read'],
    ['mongodb://user:sec%ret@host/', 'encoded'],
    ['mongodb://user:1234?secret@host', 'encoded'],
    ['mongodb://user:1234/secret@host', 'encoded'],
    ['mongodb://user:1234#secret@host/', 'encoded'],
    ['mongodb://h/?tls=secret', 'true or false'],
    ['mongodb://user:secret@h/?authMechanism=MONGODB-AWS', 'SCRAM'],
    ...[
      ...['tlsCAFile', 'tlscertificatekeyfile', 'tlsCRLFile', 'proxyHost', 'srvServiceName', 'loadBalanced'],
      ...['authMechanismProperties', 'mongodbLogPath'],
    ].map((option) => [`mongodb://user:secret@h/?${option}=/etc/secret`, option]),
  ])('%s is refused', async (text, reason = '') => {
    expect(() => url(text)).toThrow(reason);
    const told = await scripts.refused(reading(text));
    expect(told).toContain(reason);
    expect(told).not.toContain('secret');
  });
});

describe('calls', () => {
  it('with wrong arguments answer how the functions are used', async () => {
    const usage = 'Usage: mongodb(url, database, collection)';
    for (const args of ['', "'a', 'b'", "'a', 'b', 'c', 'd'", "5, 'b', 'c'", "'mongodb://h', '', 'c'"]) {
      expect(await scripts.answered(`{ return $.mongodb(${args}); }`)).toBe(usage);
      if (args !== '') expect(await scripts.answered(`mongodb(${args})`)).toBe(usage);
    }
    for (const args of ['', "'a'", '5', '{}, {}']) {
      expect(await scripts.answered(`{ return $.bson(${args}); }`)).toBe('Usage: bson(map)');
    }
    expect(await scripts.answered("{ return $.bson({ a: { $oid: '65a5f00d65a5f00d65a5f00d' } }); }")).toEqual({
      a: { $oid: '65a5f00d65a5f00d65a5f00d' },
    });
    expect(await scripts.refused('{ return $.bson({ a: () => 1 }); }')).toContain('A function');
  });

  it('obey the rules for calls, for names and addresses', async () => {
    const { port, connections } = await fake(() => HELLO);
    await server.reload({ 'application.httphelper.blockedaddresses': 'private' });
    for (const host of ['localhost', '127.0.0.1', '[::1]', '2130706433', '0x7f.1']) {
      expect(await scripts.refused(reading(`mongodb://${host}:${String(port)}`))).toContain('not permitted');
    }
    await server.reload({
      'application.httphelper.blockedaddresses': '',
      'application.httphelper.urlwhitelist': 'https://example.com/.*',
    });
    expect(await scripts.refused(reading(`mongodb://localhost:${String(port)}`))).toContain('urlwhitelist');
    await server.reload({ 'application.httphelper.urlwhitelist': '*' });
    expect(connections()).toBe(0);
  });

  it('lead to the one server, whatever others it names', async () => {
    const other = await fake(() => HELLO);
    const hosts = [`127.0.0.1:${String(other.port)}`];
    const { port, open } = await fake((command) =>
      isHello(command)
        ? { ...HELLO, setName: 'set', hosts, primary: hosts[0], me: hosts[0] }
        : { ok: 1, cursor: { id: 0n, ns: 'test.c', firstBatch: [{ a: 1 }] } },
    );
    expect(await scripts.answered(reading(`mongodb://localhost:${String(port)}/?replicaSet=set`))).toEqual({ a: 1 });
    expect(other.connections()).toBe(0);
    await until(() => Promise.resolve(open.size === 0), 'connections are closed');
  });

  it('are encrypted, and look at the certificate', async () => {
    const { port, commands } = await fake(
      (command) => (isHello(command) ? HELLO : { ok: 1, cursor: { id: 0n, ns: 'test.c', firstBatch: [{ a: 1 }] } }),
      newCertificate('localhost'),
    );
    const url = `mongodb://localhost:${String(port)}/?tls=true`;
    expect(await scripts.refused(reading(url))).toContain('self-signed certificate');
    expect(commands).toEqual([]);
    expect(await scripts.answered(reading(`${url}&tlsAllowInvalidCertificates=true`))).toEqual({ a: 1 });
  });

  it('fail at once without a server, and never show a password', async () => {
    const begun = Date.now();
    expect(await scripts.refused(reading('mongodb://tester:secret@127.0.0.1:1'))).toMatch(
      /^The query to mongodb:\/\/127\.0\.0\.1:1 failed: .*ECONNREFUSED/,
    );
    const { port, commands } = await fake((command) =>
      isHello(command)
        ? HELLO
        : { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' },
    );
    const told = await scripts.refused(reading(`mongodb://tester:secret@127.0.0.1:${String(port)}`));
    expect(told).toBe(`The query to mongodb://127.0.0.1:${String(port)} failed: Authentication failed.`);
    expect(commands).not.toContain('find');
    const old = await fake(() => ({ ...HELLO, maxWireVersion: 5 }));
    expect(await scripts.refused(reading(`mongodb://127.0.0.1:${String(old.port)}`))).toContain(
      `Server at 127.0.0.1:${String(old.port)} reports`,
    );
    expect(Date.now() - begun).toBeLessThan(10_000);
  });

  it.each([
    ['from the beginning', () => undefined],
    ['later', (command: object) => (isHello(command) ? { ...HELLO, logicalSessionTimeoutMinutes: 30 } : undefined)],
  ])('to a server that is silent %s end with the time, and close', async (_, answers) => {
    const { port, open } = await fake(answers);
    await server.reload({ 'application.httphelper.timeouts.socket': 1 });
    const begun = Date.now();
    expect(await scripts.refused(reading(`mongodb://127.0.0.1:${String(port)}`))).toContain('longer than 1 s');
    expect(Date.now() - begun).toBeLessThan(5000);
    await server.reload({ 'application.httphelper.timeouts.socket': 600 });
    await until(() => Promise.resolve(open.size === 0), 'connections are closed');
  });

  it('end when their client goes away', async () => {
    const { port, open, commands } = await fake((command) => (isHello(command) ? HELLO : undefined));
    await server.admin.create('SchemaMethod', {
      name: 'waits',
      source: reading(`mongodb://127.0.0.1:${String(port)}`),
    });
    const headers = { 'X-User': server.admin.name, 'X-Password': server.admin.password };
    const call = request(`${server.admin.url}/svc/rest/waits`, { method: 'POST', headers });
    call.on('error', () => undefined).end('{}');
    await until(() => Promise.resolve(commands.includes('find')), 'it is asked');
    call.destroy();
    await until(() => Promise.resolve(open.size === 0), 'connections are closed');
  });

  it.each([
    ['unpacks nothing', message(2012, Buffer.concat([Buffer.alloc(9, 2), deflateSync(Buffer.alloc(1 << 20))]))],
    ['takes nothing endless', Buffer.from('ffffff7f0000000000000000dd0700000000000000eaffff7e', 'hex')],
    ['takes one document at a time', message(2013, Buffer.alloc(1_000_000))],
    ['takes what was asked for only', message(2013, Buffer.from('02000000000500000000', 'hex'))],
    ['takes nothing else', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('%s', async (_, bytes) => {
    for (const isFirst of [true, false]) {
      const { port, open } = await fake((command) => (isHello(command) && !isFirst ? HELLO : bytes));
      const told = await scripts.refused(reading(`mongodb://127.0.0.1:${String(port)}`));
      expect(told).toMatch(/does not speak the protocol of MongoDB|more at once than a document can hold/);
      await until(() => Promise.resolve(open.size === 0), 'connections are closed');
    }
  });

  it('take no more than 64 MB', async () => {
    // Batches without end: documents that are too few and too small for the other limits, in answers that are not.
    const padding = new Uint8Array(15_000_000);
    const { port, open } = await fake((command) => {
      if (isHello(command)) return HELLO;
      const batch = 'find' in command ? 'firstBatch' : 'nextBatch';
      return { ok: 1, cursor: { id: 5n, ns: 'test.c', [batch]: [{ a: 1 }] }, padding };
    });
    const source = `{ return [...$.mongodb('mongodb://127.0.0.1:${String(port)}', 'test', 'c').find()].length; }`;
    expect(await scripts.refused(source)).toContain('more than 67108864 bytes');
    await until(() => Promise.resolve(open.size === 0), 'connections are closed');
  });

  it('are not made into more values than the memory has room for', async () => {
    const empty = (count: number): object[] => Array.from({ length: count }, () => ({}));
    const asked: Record<string, object> = {};
    const { port } = await fake((command) => (isHello(command) ? HELLO : { ok: 1, ...asked }));
    const script = (call: string): string =>
      `{ const found = $.mongodb('mongodb://127.0.0.1:${String(port)}', 'test', 'c').${call}; return found === null ? 0 : 1; }`;
    asked['cursor'] = { id: 0n, ns: 'test.c', firstBatch: [{ a: empty(600_000) }] };
    expect(await scripts.refused(script('findOne()'))).toContain('ask for less');
    expect(await scripts.refused(script('find().toArray()'))).toContain('ask for less');
    asked['values'] = empty(400_000);
    delete asked['cursor'];
    expect(await scripts.refused(script("distinct('a')"))).toContain('more than 2097152 bytes');
    asked['value'] = { a: empty(400_000) };
    delete asked['values'];
    expect(await scripts.refused(script('findOneAndDelete({})'))).toContain('more than 2097152 bytes');
  });

  it('leave no sockets in the temporary folder', async () => {
    const left = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('svc-mongodb-'));
    // Others may be at work.
    const before = left();
    await until(() => Promise.resolve(left().every((name) => !before.includes(name))), 'folders are removed');
  });
});
