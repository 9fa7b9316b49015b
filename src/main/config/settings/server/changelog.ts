import { boolean, group } from '../../setting.js';

export const changelogSettings = group('application/Changelog', {
  'application.changelog.enabled': boolean(false, 'Keep a changelog of every object', { notRead: true }),
  'application.changelog.user_centric.enabled': boolean(false, 'Keep a changelog of every user', { notRead: true }),
});
