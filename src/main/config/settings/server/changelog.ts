import { boolean, group } from '../../setting.js';

export const changelogSettings = group('application/Changelog', {
  'application.changelog.enabled': boolean(
    false,
    'Keep a changelog of every object: a file an object in changelog.path',
  ),
  'application.changelog.user_centric.enabled': boolean(false, 'Keep a changelog of every user: what he has changed'),
});
