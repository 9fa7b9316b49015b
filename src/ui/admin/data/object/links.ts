/** Links to several related objects: what is added and taken away, without touching what others have linked meanwhile. */
import { RefusedError } from '../../../common/request.js';
import { change, list, remove } from '../../server/rest.js';
import type { Column } from '../columns.js';
import type { Draft } from '../drafts.js';

/** New ones are added to the list (docs/interface/rest.md 2.2), each other relationship is deleted by itself (schema.md 9.8). */
export async function saveLinks(path: string, id: string, column: Column, { picked, items }: Draft): Promise<void> {
  const { name } = column;
  if (picked.length > 0) {
    await change(path, { [name]: picked.map((one) => one.id) }, { 'Svc-Force-Merge-Of-Nested-Properties': 'enabled' });
  }
  for (const gone of items) {
    try {
      await unlink(id, gone, column);
    } catch (error) {
      // Who may not use relationships by themselves may write the list as a whole.
      if (!(error instanceof RefusedError) || (error.status !== 401 && error.status !== 403)) throw error;
      await writeWithout(path, column, gone);
    }
  }
}

async function unlink(id: string, related: string, { relation }: Column): Promise<void> {
  const { relationship = '', direction = 'out' } = relation ?? {};
  const ends = direction === 'out' ? { sourceId: id, targetId: related } : { sourceId: related, targetId: id };
  const type = encodeURIComponent(relationship);
  const { result } = await list(type, ends, { properties: ['id'] });
  for (const one of result) await remove(`${type}/${one.id}`);
}

async function writeWithout(path: string, { name }: Column, gone: string): Promise<void> {
  const { result } = await list(`${path}/${name}`, { _disableSoftLimit: 1 }, { properties: ['id'] });
  await change(path, { [name]: result.filter(({ id }) => id !== gone).map(({ id }) => id) });
}
