/**
 * Clients that read and write at once, by REST and by scripts, while servers may be killed. What they saw must be what some order of
 * whole transactions shows, in which nobody is told of the past (docs/fuzzing.md).
 *
 * Scripts that only read, and more than one thing, are not asked: nobody checks what they have read (docs/design/transactions.md).
 */
import { expect } from 'vitest';
import type { Client } from '../support/client.js';
import type { Random } from './random.js';
import { type Access, impossible } from './registers.js';
import { anomalies, type Operation, type Transaction } from './serialisable.js';

/** Where clients act. */
export interface Field {
  readonly random: Random;
  /** Of a server that is there now, or was a moment ago. */
  admin(): Client;
  /** Runs clients beside each other until all time is over and `enough`; `client` does one thing a call. */
  run(client: (admin: Client, number: number, turn: number) => Promise<void>, enough?: () => boolean): Promise<void>;
}

export const CLIENTS = 8;
const LISTS = 60;
/** Of the lists, those that are used most. */
const HOT = 4;
const MOST_OPERATIONS = 20;
const START = 1000;

const FIND = `const at = (name) => $.find('Account', 'name', name)[0]; const p = $.methodParameters;`;
/** Runs operations on lists. */
const RUN = `const seen = [];
  for (const one of JSON.parse($.methodParameters.operations)) {
    const list = $.find('Register', 'name', one.key)[0];
    if (one.append === undefined) seen.push([...(list.list ?? [])]);
    else { list.list = [...(list.list ?? []), one.append]; seen.push(null); }
  }
  return JSON.stringify(seen);`;
const TRANSFER = `${FIND} const [from, to] = [at(p.from), at(p.to)];
  const [a, b] = [from.balance, to.balance];
  from.balance = a - p.amount; to.balance = b + p.amount; return 'done';`;
/** Takes from one of two when both together have as much: two who look at both and take from one each would take too much. */
const WITHDRAW = `${FIND} const [own, other] = [at(p.own), at(p.other)];
  const left = own.balance + other.balance;
  if (left < p.amount) own.balance = own.balance + ${String(START)}; else own.balance = own.balance - p.amount;
  return left;`;
/** What it counts it writes down: so it is a transaction that has to be as if it were alone. */
const AUDIT = `let sum = 0; for (const one of $.find('Account')) sum += one.counted ? one.balance : 0;
  $.find('Register', 'name', 'audit' + $.methodParameters.number)[0].value = String(sum) + ' ' + $.methodParameters.name; return sum;`;

/** Types and methods that histories need; on a new database. */
export async function defineHistories(admin: Client): Promise<void> {
  const method = (name: string, source: string): object => ({ name, isStatic: true, source: `{ ${source} }` });
  await admin.create('SchemaNode', {
    name: 'Register',
    schemaProperties: [
      { name: 'list', propertyType: 'StringArray' },
      { name: 'value', propertyType: 'String' },
    ],
    schemaViews: [{ name: 'fuzz', nonGraphProperties: 'id, name, list, value' }],
    schemaMethods: [method('run', RUN)],
  });
  await admin.create('SchemaNode', {
    name: 'Account',
    schemaProperties: [
      { name: 'balance', propertyType: 'Integer' },
      { name: 'counted', propertyType: 'Boolean' },
    ],
    schemaViews: [{ name: 'fuzz', nonGraphProperties: 'id, name, balance, counted' }],
    schemaMethods: [method('transfer', TRANSFER), method('withdraw', WITHDRAW), method('audit', AUDIT)],
  });
}

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** Undefined: nobody knows what became of it. */
async function attempt(work: Promise<Answered>): Promise<Answered | undefined> {
  const answer = await work.catch(() => undefined);
  // Nobody may take a server that is going for one that has refused.
  return answer === undefined || answer.status >= 500 ? undefined : answer;
}

const resultOf = (answer: Answered): unknown => (answer.body as { result: unknown }).result;

function tell(text: string): void {
  process.stderr.write(`histories: ${text}\n`);
}

/** Lists that scripts append to and read, and REST reads. Returns the number of operations that were checked. */
export async function checkLists({ random, admin, run }: Field, least = 0): Promise<number> {
  const history: Transaction[] = [];
  let count = 0;
  const add = (one: Transaction): void => {
    history.push(one);
    count += one.operations.length;
  };
  /** Of the lists that are used now. They are given up as a whole when making them fails: names are never used twice. */
  let epoch = -1;
  let begun = -1;
  const named = (of: number, at: number): string => `list${String(of)}-${String(at)}`;
  /** Lists stay short: others take their place. */
  const renew = async (client: Client): Promise<void> => {
    const next = ++begun;
    const all = Array.from({ length: LISTS }, (_, i) => ({ name: named(next, i) }));
    const { status } = await client.post('/Register', all);
    if (status === 201) epoch = next;
  };
  await renew(admin());
  const turn = async (client: Client, number: number, at: number): Promise<void> => {
    const name = `c${String(number)}-${String(at)}`;
    if (number === 0 && at % 40 === 39) {
      // The server may be killed meanwhile; then it is tried again later.
      await renew(client).catch(() => undefined);
      return;
    }
    const among = Array.from({ length: random.chance(0.3) ? HOT : LISTS }, (_, i) => named(epoch, i));
    const began = performance.now();
    if (random.chance(0.15)) {
      const key = random.pick(among);
      const answer = await attempt(client.get(`/Register/fuzz?name=${key}`));
      const [found] = answer === undefined ? [] : (resultOf(answer) as { list: string[] }[]);
      if (found === undefined) return;
      add({ name, outcome: 'ok', began, ended: performance.now(), operations: [{ key, read: found.list }] });
      return;
    }
    const asked = random
      .some(among, MOST_OPERATIONS)
      .map((key) => (random.chance(0.15) ? { key, append: name } : { key }));
    if (asked.length > 1 && asked.every((one) => one.append === undefined)) return;
    const answer = await attempt(client.post('/Register/run', { operations: JSON.stringify(asked) }));
    const ended = performance.now();
    if (answer === undefined) {
      const operations = asked.filter((one) => one.append !== undefined) as Operation[];
      add({ name, outcome: 'unknown', began, ended: Infinity, operations });
      return;
    }
    expect(answer.status, JSON.stringify([asked, answer.body])).toBe(200);
    const seen = JSON.parse(resultOf(answer) as string) as (string[] | null)[];
    const operations = asked.map((one, i): Operation =>
      one.append === undefined ? { key: one.key, read: seen[i] ?? [] } : { key: one.key, append: one.append },
    );
    add({ name, outcome: 'ok', began, ended, operations });
  };
  await run(turn, () => count >= least);
  const all = resultOf(await admin().get('/Register/fuzz?_pageSize=100000')) as { name: string; list: string[] }[];
  const final = new Map(all.filter(({ name }) => name.startsWith('list')).map(({ name, list }) => [name, list]));
  const unknown = history.filter(({ outcome }) => outcome === 'unknown').length;
  tell(`${String(history.length)} transactions, ${String(count)} operations on lists, ${String(unknown)} unknown`);
  const since = performance.now();
  const found = anomalies(history, final);
  tell(`checked in ${String(Math.round(performance.now() - since))} ms`);
  for (const kind of new Set(found.map((one) => one.kind)))
    tell(`${kind}: ${String(found.filter((one) => one.kind === kind).length)}`);
  expect(found.slice(0, 5)).toEqual([]);
  return count;
}

/** A value that many write and read by REST is one value. Returns the number of accesses. */
export async function checkRegisters({ random, admin, run }: Field): Promise<number> {
  const ids = new Map<string, string>();
  for (const name of ['one', 'two']) ids.set(name, await admin().create('Register', { name, value: 'initial' }));
  const history = new Map<string, Access[]>([...ids.keys()].map((name) => [name, []]));
  await run(async (client, number, turn) => {
    const name = random.pick([...ids.keys()]);
    const path = `/Register/${ids.get(name) ?? ''}`;
    const began = performance.now();
    if (random.chance(0.5)) {
      const value = `v${String(number)}-${String(turn)}`;
      const answer = await attempt(client.put(path, { value }));
      if (answer !== undefined) expect(answer.status).toBe(200);
      const ended = answer === undefined ? Infinity : performance.now();
      history.get(name)?.push({ kind: 'write', value, began, ended });
      return;
    }
    const answer = await attempt(client.get(`${path}/fuzz`));
    if (answer === undefined) return;
    const { value } = resultOf(answer) as { value: string };
    history.get(name)?.push({ kind: 'read', value, began, ended: performance.now() });
  });
  let count = 0;
  for (const [name, list] of history) {
    count += list.length;
    expect(impossible(list, 'initial'), name).toBeUndefined();
  }
  tell(`${String(count)} accesses of values`);
  return count;
}

/**
 * Transfers keep the sum: by scripts among some accounts, by REST within pairs, and by both within pairs. Beside them scripts take from one of
 * two accounts what both together have, and others count all. Returns the number of transactions.
 */
export async function checkTransfers({ random, admin, run }: Field): Promise<number> {
  const names = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => `${prefix}${String(i)}`);
  const [shared, byRest, byBoth, joint] = [names('shared', 6), names('rest', 8), names('both', 8), names('joint', 4)];
  const ids = new Map<string, string>();
  for (const name of [...shared, ...byRest, ...byBoth, ...joint]) {
    const counted = !joint.includes(name);
    ids.set(name, await admin().create('Account', { name, balance: START, counted }));
  }
  for (const name of names('audit', CLIENTS)) await admin().create('Register', { name });
  const SUM = START * (shared.length + byRest.length + byBoth.length);
  const balances = async (client: Client): Promise<Map<string, number> | undefined> => {
    const answer = await attempt(client.get('/Account/fuzz?_pageSize=200'));
    if (answer === undefined) return undefined;
    expect(answer.status).toBe(200);
    const all = resultOf(answer) as { name: string; balance: number }[];
    return new Map(all.map(({ name, balance }) => [name, balance]));
  };
  const sumOf = (all: ReadonlyMap<string, number>): number =>
    [...all].reduce((sum, [name, one]) => sum + (joint.includes(name) ? 0 : one), 0);
  /** Names of two that belong together, in any order. */
  const pairOf = (list: readonly string[]): [string, string] => {
    const at = random.below(list.length / 2) * 2;
    const [a = '', b = ''] = random.chance(0.5) ? [list[at], list[at + 1]] : [list[at + 1], list[at]];
    return [a, b];
  };
  const done = { transfers: 0, sums: 0, audits: 0, withdrawals: 0 };
  const byScript = async (client: Client, method: string, parameters: object): Promise<unknown> => {
    const answer = await attempt(client.post(`/Account/${method}`, parameters));
    if (answer === undefined) return undefined;
    expect(answer.status, JSON.stringify([method, answer.body])).toBe(200);
    return resultOf(answer);
  };
  await run(async (client, number, turn) => {
    const kind = random.next();
    const amount = 1 + random.below(50);
    if (kind < 0.5) {
      const [from, to] = kind < 0.25 ? random.some(shared, shared.length).concat(shared) : pairOf(byBoth);
      if (from === to) return;
      await byScript(client, 'transfer', { from, to, amount });
      done.transfers++;
    } else if (kind < 0.7) {
      const [a, b] = pairOf(kind < 0.6 ? byRest : byBoth);
      const balance = random.below(2 * START);
      const body = [
        { id: ids.get(a), balance },
        { id: ids.get(b), balance: 2 * START - balance },
      ];
      const answer = await attempt(client.patch('/Account', body));
      if (answer !== undefined) expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      done.transfers++;
    } else if (kind < 0.85) {
      const [own, other] = pairOf(joint);
      const left = await byScript(client, 'withdraw', { own, other, amount: amount * 20 });
      if (left !== undefined) expect(left).toBeGreaterThanOrEqual(0);
      done.withdrawals++;
    } else if (kind < 0.92) {
      const sum = await byScript(client, 'audit', { number, name: String(turn) });
      if (sum !== undefined) expect(sum).toBe(SUM);
      done.audits++;
    } else {
      const all = await balances(client);
      if (all !== undefined) expect(sumOf(all)).toBe(SUM);
      done.sums++;
    }
  });
  const all = (await balances(admin())) ?? new Map<string, number>();
  tell(JSON.stringify(done));
  expect(sumOf(all)).toBe(SUM);
  const of = (name: string): number => all.get(name) ?? NaN;
  for (const list of [byRest, byBoth])
    for (let i = 0; i < list.length; i += 2) expect(of(list[i] ?? '') + of(list[i + 1] ?? '')).toBe(2 * START);
  for (let i = 0; i < joint.length; i += 2)
    expect(of(joint[i] ?? '') + of(joint[i + 1] ?? '')).toBeGreaterThanOrEqual(0);
  return done.transfers + done.withdrawals + done.audits;
}
