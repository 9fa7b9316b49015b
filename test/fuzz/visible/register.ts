/** One value that all connections write and read, by REST, in lists, and by a page. */
import type { Client } from '../../support/client.js';
import { resultOf, type Connection } from '../../support/many-connections.js';
import { makePage } from '../../support/pages.js';
import type { Random } from '../random.js';
import { impossible, type Access } from '../registers.js';
import { must } from './subject.js';

export interface Register {
  readonly id: string;
}

export async function makeRegister(admin: Client): Promise<Register> {
  await admin.defineType('Register', [{ name: 'word', propertyType: 'String', indexed: true }]);
  const id = await admin.create('Register', { word: 'first' });
  const content = "${first(find('Register')).word}";
  await makePage(admin, 'register', [['Template', { content }]]);
  await admin.put(`/Register/${id}`, { visibleToPublicUsers: true });
  return { id };
}

/** All connections until `enough`; answers how many operations there were and, where what they saw cannot be, why. */
export async function playRegister(
  { id }: Register,
  connections: readonly Connection[],
  random: Random,
  enough: (operations: number) => boolean,
): Promise<{ readonly operations: number; readonly problem: string | undefined }> {
  const history: Access[] = [];
  const path = `/svc/rest/Register/${id}`;
  let count = 0;
  const reads: ((by: Connection) => Promise<string>)[] = [
    async (by) => (resultOf(await must(by, 'GET', path)) as { word: string }).word,
    async (by) => (resultOf(await must(by, 'GET', '/svc/rest/Register')) as { word: string }[])[0]?.word ?? '',
    async (by) => (await must(by, 'GET', '/register')).text,
  ];
  const one = async (by: Connection): Promise<void> => {
    while (!enough(history.length)) {
      const isWrite = random.chance(0.3);
      const written = `w${String(++count)}`;
      const began = performance.now();
      let value = written;
      if (isWrite) await must(by, 'PUT', path, { word: written });
      else value = await random.pick(reads)(by);
      history.push({ kind: isWrite ? 'write' : 'read', value, began, ended: performance.now() });
    }
  };
  await Promise.all(connections.map(one));
  return { operations: history.length, problem: impossible(history, 'first') };
}
