import { group, path, string } from '../setting.js';

export const pathSettings = group('general/Paths', {
  'base.path': path('.', 'Working directory', { restart: true }),
  'files.path': path('files', 'Folder of the content of uploaded files', { restart: true }),
  'data.exchange.path': string(
    'exchange',
    'Folder, counted from base.path, where other programs leave files for file-import; empty: none',
  ),
  'changelog.path': path('changelog', 'Folder of the changelog', { notRead: true }),
});
