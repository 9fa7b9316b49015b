import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cached } from '../../../src/main/scripting/run/stores/cache.js';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import { Timers } from '../../../src/main/scripting/run/limits/timers.js';
import { ScriptEntity, type ScriptValue } from '../../../src/main/scripting/language/values.js';
import { requestOf, ScriptWorld } from '../support.js';
import { call } from './support.js';

let world: ScriptWorld;
let context: ScriptContext;
beforeAll(async () => {
  world = await ScriptWorld.open();
});
beforeEach(() => {
  context = world.context();
});
afterAll(() => world.close());

describe('the store of a request', () => {
  it('keeps values while the run lasts', async () => {
    expect(await call(context, 'store', 'a', 'x')).toBeNull();
    expect(await call(context, 'retrieve', 'a')).toBe('x');
    expect(await call(context, 'requestStorePut', 'a', 'y')).toBe('x');
    expect(await call(context, 'requestStorePut', 'b', null)).toBeNull();
    expect(await call(context, 'requestStoreGet', 'a')).toBe('y');
    expect(await call(context, 'requestStoreHas', 'b')).toBe(true);
    expect(await call(context, 'requestStoreGetKeys')).toEqual(['a', 'b']);
    await call(context, 'store', 'a', null);
    await call(context, 'requestStoreDelete', 'b');
    expect(await call(context, 'requestStoreGetKeys')).toEqual([]);
    await call(context, 'store', 'a', 'x');
    expect(await call(world.context(), 'retrieve', 'a')).toBeNull();
  });

  it('is hidden by parameters of the method', async () => {
    const method = { ...context, parameters: new Map([['a', 'parameter']]) };
    await call(method, 'store', 'a', 'stored');
    expect(await call(method, 'retrieve', 'a')).toBe('parameter');
    expect(await call(context, 'retrieve', 'a')).toBe('stored');
    expect(world.lines.some((line) => line.includes("store('a') is hidden"))).toBe(true);
  });

  it.each(['store', 'requestStorePut', 'applicationStorePut'])('%s of a null key does nothing', async (name) => {
    expect(await call(context, name, null, 'x')).toBeNull();
    expect(await call(context, 'requestStoreGetKeys')).toEqual([]);
  });

  it.each(['retrieve', 'requestStoreGet', 'requestStoreHas', 'requestStoreDelete', 'applicationStoreGet'])(
    '%s of null is null',
    async (name) => {
      expect(await call(context, name, null)).toBeNull();
    },
  );
});

describe('the store of the instance', () => {
  it('keeps values from run to run', async () => {
    expect(await call(context, 'applicationStorePut', 'k', 'x')).toBeNull();
    const later = world.context();
    expect(await call(later, 'applicationStorePut', 'k', 'y')).toBe('x');
    expect(await call(later, 'applicationStorePut', 'k', null)).toBeNull();
    expect(await call(later, 'applicationStoreGet', 'k')).toBe('y');
    expect(await call(later, 'applicationStoreHas', 'k')).toBe(true);
    expect(await call(later, 'applicationStoreGetKeys')).toContain('k');
    await call(later, 'applicationStoreDelete', 'k');
    expect(await call(context, 'applicationStoreHas', 'k')).toBe(false);
  });

  it('has objects as they are when they are read', async () => {
    const user = await world.entity(await world.create('User', { name: 'before' }), context);
    await call(context, 'applicationStorePut', 'user', user);
    await context.run.entities.set(user, [['name', 'after']], context);
    await context.run.transaction.commit();
    const later = world.context();
    const found = await call(later, 'applicationStoreGet', 'user');
    expect(found).not.toBe(user);
    if (!(found instanceof ScriptEntity)) throw new Error('an object');
    expect(await later.run.entities.get(found, 'name', later)).toBe('after');
    await call(later, 'applicationStoreDelete', 'user');
  });
});

describe('the cache', () => {
  it('keeps a value until its time is over', async () => {
    let made = 0;
    const make = (): ScriptValue => ++made;
    expect(await cached('number', 60, make, context)).toBe(1);
    expect(cached('number', 60, make, world.context())).toBe(1);
    expect(await call(context, 'hasCacheValue', 'number')).toBe(true);
    expect(await call(context, 'getCacheValue', 'number')).toBe(1);
    expect(await call(context, 'invalidateCacheValue', 'number')).toBeNull();
    expect(await call(context, 'hasCacheValue', 'number')).toBe(false);
    expect(await cached('number', 0, make, context)).toBe(2);
    await delay(5);
    expect(await cached('number', 60, make, context)).toBe(3);
  });

  it('keeps null too', async () => {
    let made = 0;
    const make = (): ScriptValue => (made++, null);
    await cached('nothing', 60, make, context);
    await cached('nothing', 60, make, context);
    expect(made).toBe(1);
  });

  it('computes once for all who ask at a time', async () => {
    let made = 0;
    const make = async (): Promise<ScriptValue> => {
      await delay(20);
      return ++made;
    };
    const all = await Promise.all(Array.from({ length: 10 }, async () => cached('shared', 60, make, world.context())));
    expect(all).toEqual(Array.from({ length: 10 }, () => 1));
  });

  it('lets the next one try when one fails', async () => {
    const failing = cached('failing', 60, () => Promise.reject(new ScriptError(422, 'no')), context);
    const next = cached('failing', 60, () => 'there', world.context());
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('there');
  });

  it('never waits for itself', async () => {
    const value = cached('itself', 60, () => cached('itself', 60, () => 'inner', context), context);
    expect(await value).toBe('inner');
  });

  it('makes no writer wait for somebody who may want to write', async () => {
    let end = (): void => undefined;
    const slow = cached(
      'slow',
      60,
      () => new Promise<ScriptValue>((resolve) => (end = () => resolve('slow'))),
      context,
    );
    const writer = world.context();
    await writer.run.transaction.objects(writer.actor, writer.access);
    expect(await cached('slow', 60, () => 'own', writer)).toBe('own');
    await writer.run.transaction.rollBack(new Error('the end'));
    end();
    expect(await slow).toBe('slow');
  });

  it('does not keep what was begun before it was invalidated', async () => {
    let end = (): void => undefined;
    const old = cached('old', 60, () => new Promise<ScriptValue>((resolve) => (end = () => resolve('old'))), context);
    await call(context, 'invalidateCacheValue', 'old');
    end();
    expect(await old).toBe('old');
    expect(await cached('old', 60, () => 'new', context)).toBe('new');
  });

  it('says as text what is wrong with its arguments', async () => {
    expect(await cached(null, 60, () => 'x', context)).toBe('Error: cache(): key may not be empty.');
    expect(await cached('k', 'soon', () => 'x', context)).toBe(
      'Error: cache(): timeout must be non-empty and a number.',
    );
    expect(await cached('k'.repeat(2000), 1, () => 'x', context)).toMatch(/^Error: /);
    expect(await call(context, 'getCacheValue', null)).toBeNull();
    expect(await call(context, 'hasCacheValue', null)).toBeNull();
    expect(await call(context, 'invalidateCacheValue', null)).toBeNull();
  });
});

describe('time', () => {
  it('is measured by timers, pauses left out', () => {
    let now = 0;
    const timers = new Timers(() => now);
    expect(timers.get('t')).toBeUndefined();
    timers.start('t');
    now = 10;
    timers.start('t');
    expect(timers.get('t')).toBe(10);
    expect(timers.pause('t')).toBe(10);
    now = 50;
    expect(timers.get('t')).toBe(10);
    timers.start('t');
    now = 55;
    expect(timers.pause('t')).toBe(5);
    expect(timers.clear('t')).toBe(15);
    expect(timers.clear('t')).toBeUndefined();
  });

  it('of a timer is an integer', async () => {
    expect(await call(context, 'timer', 't', 'start')).toBeNull();
    expect(typeof (await call(context, 'timer', 't', 'get'))).toBe('bigint');
    expect(await call(context, 'timer', 'unknown', 'get')).toBeNull();
    expect(await call(context, 'timer', 't', 'stop')).toBe('Usage: timer(name, action)');
    expect(await call(context, 'timer', null, 'get')).toBeNull();
  });

  it('is slept through, until the client is gone, or the job ended', async () => {
    const begin = performance.now();
    expect(await call(context, 'sleep', 20)).toBe('20.0');
    expect(performance.now() - begin).toBeGreaterThan(15);
    expect(await call(context, 'sleep', -1)).toBe('Usage: sleep(milliseconds)');
    expect(await call(context, 'sleep', null)).toBeNull();
    const client = new AbortController();
    const waiting = world.context({ request: requestOf({ signal: client.signal }) });
    const asleep = call(waiting, 'sleep', 60_000);
    client.abort();
    await expect(asleep).rejects.toThrow('client of this script has gone');
    const job = new AbortController();
    const working = call(world.context({ signal: job.signal }), 'sleep', 60_000);
    job.abort();
    await expect(working).rejects.toThrow('job of this script was ended');
  });

  it('has ids that are never the same', async () => {
    const id = await call(context, 'randomUuid');
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(await call(context, 'randomUuid')).not.toBe(id);
    expect(await call(context, 'isValidUuid', id)).toBe(true);
  });
});
