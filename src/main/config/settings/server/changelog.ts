import { boolean, group, integer } from '../../setting.js';

export const changelogSettings = group('application/Changelog', {
  'application.changelog.enabled': boolean(
    false,
    'Keep a changelog of every object: a file an object in changelog.path',
  ),
  'application.changelog.user_centric.enabled': boolean(false, 'Keep a changelog of every user: what he has changed'),
  'application.changelog.retention': integer(0, 'Days after which entries are removed; 0: they are kept', {
    min: 0,
    max: 36_500,
  }),
  'application.changelog.file.maxsize': integer(
    0,
    'Megabytes from which on the file of an object or user is put aside and another one begins; 0: it is one file',
    { min: 0, max: 1_000_000 },
  ),
});
