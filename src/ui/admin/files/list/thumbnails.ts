/** Small pictures of the images that are seen (docs/interface/media.md 2.2). */
import { useEffect, useState } from 'react';
import { list, type Entity } from '../../server/rest.js';
import { contentAddress, type Entry } from '../tree-server.js';

/** So long a place must be looked at before its pictures are asked for: the server may have to make them. */
const STILL_MS = 150;
const AT_ONCE = 40;

/** The address of a thumbnail in the value of `tnSmall` or `tnMid`; undefined: there is none, or not yet. */
export function thumbnailAddress(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('id' in value)) return undefined;
  return typeof value.id === 'string' ? contentAddress(value.id) : undefined;
}

/** Addresses of thumbnails by the id of the image; those that the server has not made yet are missing. */
export function useThumbnails(seen: readonly (Entry | undefined)[]): ReadonlyMap<string, string> {
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  const wanted = seen.flatMap((entry) =>
    entry !== undefined && !entry.isFolder && entry.contentType.startsWith('image/') && !known.has(stateOf(entry))
      ? [entry]
      : [],
  );
  const key = wanted.map(stateOf).join(' ');
  useEffect(() => {
    if (wanted.length === 0) return;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      const asked = wanted.slice(0, AT_ONCE);
      list<Entity>(
        'Image',
        { id: asked.map(({ id }) => id).join(';'), _pageSize: AT_ONCE, _page: 1 },
        { properties: ['id', 'tnSmall'], signal: aborter.signal },
      ).then(
        ({ result }) => {
          const found = new Map(result.map((image) => [image.id, thumbnailAddress(image['tnSmall']) ?? '']));
          // One that cannot be made is not asked for again.
          setKnown(
            (before) =>
              new Map([...before, ...asked.map((entry) => [stateOf(entry), found.get(entry.id) ?? ''] as const)]),
          );
        },
        () => undefined,
      );
    }, STILL_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [key]);
  const shown = new Map<string, string>();
  for (const entry of seen) {
    const address = entry === undefined ? '' : (known.get(stateOf(entry)) ?? '');
    if (entry !== undefined && address !== '') shown.set(entry.id, address);
  }
  return shown;
}

/** Other content has another thumbnail. */
const stateOf = ({ id, changed = '' }: Entry): string => `${id}@${changed}`;
