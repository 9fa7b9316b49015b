/** The disk as a kind of storage: that of this machine, or a directory that is mounted (docs/interface/files.md 9.2). */
import { isAbsolute, normalize, sep } from 'node:path';
import type { StorageProvider } from '../definition.js';
import { MountStorage } from './mount.js';

export const localProvider: StorageProvider = {
  problems: (entries, { mountRoots }) => {
    const target = entries.get('mountTarget') ?? '';
    if (target === '') return [];
    const problem = (detail: string) => [{ entry: 'mountTarget', token: 'must_match', detail }];
    if (!isAbsolute(target) || target.includes('\0')) return problem('needs an absolute path as mountTarget');
    const path = withSlash(normalize(target));
    // Whoever administers the application need not be who administers the machine.
    if (mountRoots().some((root) => path.startsWith(withSlash(normalize(root))))) return [];
    return problem('may mount directories below application.filesystem.mount.roots only');
  },
  create: ({ id, entries }, { local, mounts }) => {
    const target = entries.get('mountTarget') ?? '';
    return target === '' ? local : new MountStorage(id, normalize(target), mounts);
  },
};

function withSlash(path: string): string {
  return path.endsWith(sep) ? path : `${path}${sep}`;
}
