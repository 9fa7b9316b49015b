import { group, path } from '../setting.js';

export const pathSettings = group('general/Paths', {
  'base.path': path('.', 'Working directory', { restart: true, notRead: true }),
  'files.path': path('files', 'Folder of the content of uploaded files', { restart: true }),
  'changelog.path': path('changelog', 'Folder of the changelog', { notRead: true }),
});
