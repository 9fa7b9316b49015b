import { boolean, group, path, string } from '../../setting.js';

export const pathSettings = group('general/Paths', {
  'base.path': path('.', 'Working directory', { restart: true }),
  'files.path': path('files', 'Folder of the content of uploaded files', { restart: true }),
  'files.identity.override': boolean(
    false,
    'Start although the database and files.path do not belong together, and mark them as belonging together; for one start',
    { restart: true },
  ),
  'data.exchange.path': string(
    'exchange',
    'Folder, counted from base.path, for files that scripts and other programs exchange, and for file-import; empty: none',
  ),
  'scripts.path': string('scripts', 'Folder, counted from base.path, of the programs that exec() of scripts may run'),
  'snapshot.path': path('snapshots', 'Folder of the snapshots of the schema', { restart: true }),
  'changelog.path': path('changelog', 'Folder of the changelog', { restart: true }),
});
