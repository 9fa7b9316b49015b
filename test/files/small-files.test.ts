import { describe, expect, it } from 'vitest';
import { SmallFiles } from '../../src/main/files/content/small-files.js';

const KB = 1024;
const content = (size = KB): Promise<Buffer> => Promise.resolve(Buffer.alloc(size));

describe('content of small files', () => {
  it('is kept within its bounds; what was asked for stays longer', async () => {
    const files = new SmallFiles(64 * KB);
    expect(files.largest).toBe(4 * KB);
    for (let i = 0; i < 64; i++) await files.load(`f${String(i)}`, content);
    for (let i = 0; i < 8; i++) expect(files.get(`f${String(i)}`)).toBeDefined();
    for (let i = 64; i < 100; i++) await files.load(`f${String(i)}`, content);
    const kept = Array.from({ length: 100 }, (_, i) => files.get(`f${String(i)}`) !== undefined);
    expect(kept.filter(Boolean).length).toBe(64);
    expect(kept.slice(0, 8)).toEqual(Array(8).fill(true));
    expect(kept.slice(8, 44)).toEqual(Array(36).fill(false));
    await files.load('large', () => content(5 * KB));
    expect(files.get('large')).toBeUndefined();
  });

  it('is read once for many who ask at the same time, and again after a failure', async () => {
    const files = new SmallFiles(64 * KB);
    let reads = 0;
    const make = async (): Promise<Buffer> => {
      reads++;
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (reads === 1) throw new Error('not now');
      return Buffer.from('x');
    };
    const failed = await Promise.allSettled([files.load('a', make), files.load('a', make)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await Promise.all(Array.from({ length: 5 }, () => files.load('a', make)));
    expect(reads).toBe(2);
  });

  it('is not kept where there is no memory for it', async () => {
    const files = new SmallFiles(0);
    expect(files.largest).toBe(0);
    await files.load('a', content);
    expect(files.get('a')).toBeUndefined();
  });
});
