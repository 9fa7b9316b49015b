/** Where content lies, and how files say it. */
import type { GraphNode } from '../../graph/index.js';
import { pathBelow } from '../storage/local/local.js';
import { CONTENT_KEY, FILE_ID, type ContentId } from '../storage/storage.js';

/** Where content lies, as the file says. */
export interface Place extends ContentId {
  /** Name of the storage; empty: the one of this machine. */
  readonly store: string;
}

/** The size of a file's content in bytes; files that never had any have none. */
export function sizeOf(node: GraphNode): number {
  const { size } = node.properties;
  return typeof size === 'number' && size > 0 ? size : 0;
}

/** Where a file's content lies. */
export function placeOfContent(node: GraphNode): Place {
  return placeNamed(node.id, node.properties['contentKey']);
}

/** `contentKey` of a file: key, and behind a colon the storage when it is not that of this machine. */
export function placeNamed(file: string, contentKey: unknown): Place {
  const [key = '', store = ''] = typeof contentKey === 'string' ? contentKey.split(':') : [];
  return { file, key, store };
}

/** Whether it is the same content: contents never change. */
export function samePlace(a: Place, b: Place): boolean {
  return a.file === b.file && a.key === b.key && a.store === b.store;
}

/** `contentKey` of a file whose content lies there; null: it needs none. */
export function nameOfPlace({ key, store }: Place): string | null {
  if (store !== '') return `${key}:${store}`;
  return key === '' ? null : key;
}

/** What no other content is called. */
export function nameIn({ file, key, store }: Place): string {
  return `${file} ${key} ${store}`;
}

/** Where the content of a file lies below `files.path`, by its id and `contentKey`; undefined: in another storage, or nowhere that can be named. */
export function contentPath(file: string, contentKey: string | undefined): string | undefined {
  const { key, store } = placeNamed(file, contentKey);
  if (store !== '' || !FILE_ID.test(file) || !CONTENT_KEY.test(key)) return undefined;
  return pathBelow({ file, key });
}
