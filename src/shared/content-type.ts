import { lookup } from 'mime-types';

/** What is in a file of this name, as far as its extension tells (docs/interface/files.md 3.6). */
export function contentTypeOf(name: string): string | undefined {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return undefined;
  const extension = name.slice(dot).toLowerCase();
  // Clients of this interface know the older name.
  if (extension === '.js') return 'application/javascript';
  const type = lookup(extension);
  return type === false ? undefined : type;
}
