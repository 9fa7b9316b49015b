/** Two instances on one database, each with two threads that accept connections (docs/design/threads.md 16). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answers,
  type Connection,
  connectionsTo,
  resultOf as result,
  statusOf as status,
} from '../support/many-connections.js';
import { SUPERUSER_PASSWORD } from '../support/server.js';
import { type Instance, seen, startInstances, stateAt } from './instances.js';

const CONNECTIONS = 12;

describe('two instances with two threads each', () => {
  let instances: Instance[];
  let close: () => Promise<void>;
  /** To each instance. */
  let all: readonly (readonly Connection[])[];
  const at = (i: number): Instance => {
    const instance = instances[i];
    if (instance === undefined) throw new Error(`there is no instance ${String(i)}`);
    return instance;
  };
  const at0 = (): readonly Connection[] => all[0] ?? [];
  const at1 = (): readonly Connection[] => all[1] ?? [];

  beforeAll(async () => {
    ({ instances, close } = await startInstances(2, {
      'application.http.threads': 2,
      'database.connection.poolsize': 10,
      'log.level': 'INFO',
    }));
    const headers = { 'X-User': 'superadmin', 'X-Password': SUPERUSER_PASSWORD };
    all = instances.map(({ server }) => connectionsTo(server.url, CONNECTIONS, headers));
    await at(0).server.admin.defineType('Thing', [{ name: 'size', propertyType: 'Integer', indexed: true }]);
    await seen(async () => (await answers(at1(), '/svc/rest/Thing', status)).join() === '200');
  });
  afterAll(async () => {
    for (const one of all.flat()) one.close();
    await close();
  });

  it('share the connections among their threads, and are one member each', async () => {
    const { members } = await stateAt(at(0));
    expect(members).toHaveLength(2);
    for (const { server } of instances) {
      const text = server.lines.join('\n');
      expect(text).toContain('2 threads accept connections');
      expect(text).toContain('the main thread has 5 connections, each of the others 5');
    }
  });

  it('an object that one has made is seen by all threads of both, and stays seen', async () => {
    for (let i = 0; i < 5; i++) {
      const id = await at(i % 2).server.admin.create('Thing', { name: 'thing', size: i });
      for (const some of [at0(), at1()]) {
        const path = `/svc/rest/Thing/${id}`;
        expect(await answers(some, path, status)).toEqual([200]);
        const largest = '/svc/rest/Thing/all?_sort=size&_order=desc&_pageSize=1';
        expect(await answers(some, largest, (got) => (result(got) as { size: number }[])[0]?.size)).toEqual([i]);
      }
    }
  });

  it('once any thread of the other instance knows a change of the schema, all of them do', async () => {
    for (let i = 0; i < 3; i++) {
      const name = `Fresh${String(i)}`;
      await at(0).server.admin.create('SchemaNode', { name });
      expect(await answers(at0(), `/svc/rest/${name}`, status)).toEqual([200]);
      const path = `/svc/rest/${name}`;
      // One connection after the other, so that one thread comes to know it while the next is asked.
      for (let asked = 0, isKnown = false; !isKnown; asked++) {
        isKnown = (await at1()[asked % CONNECTIONS]?.send('GET', path))?.status === 200;
      }
      expect(await answers(at1(), path, status)).toEqual([200]);
    }
  });

  it('once any thread of the other instance refuses a blocked user, all of them do', async () => {
    const user = await at(0).server.admin.create('User', { name: 'anna', password: 'annas-password', isAdmin: true });
    const annas = connectionsTo(at(1).server.url, CONNECTIONS, { 'X-User': 'anna', 'X-Password': 'annas-password' });
    expect(await answers(annas, '/svc/rest/Thing', status)).toEqual([200]);
    await at(0).server.admin.put(`/User/${user}`, { blocked: true });
    for (let asked = 0, isRefused = false; !isRefused; asked++) {
      isRefused = (await annas[asked % CONNECTIONS]?.send('GET', '/svc/rest/Thing'))?.status === 401;
    }
    expect(await answers(annas, '/svc/rest/Thing', status)).toEqual([401]);
    for (const one of annas) one.close();
  });
});
