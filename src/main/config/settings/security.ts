import { boolean, group, integer, password, string } from '../setting.js';

export const securitySettings = {
  ...group('security/Superuser', {
    'superuser.username': string('superadmin', 'Name of the superuser'),
    'superuser.password': password('', 'Password of the superuser; empty: there is no superuser'),
  }),
  ...group('security/Initial Admin User', {
    'initialuser.create': boolean(true, 'Create the first administrator in an empty database', { restart: true }),
    'initialuser.name': string('admin', 'Name of the first administrator', { restart: true }),
    'initialuser.password': password('admin', 'Password of the first administrator; change it after the first login', {
      restart: true,
    }),
  }),
  ...group('security/Password Policy', {
    'security.passwordpolicy.maxfailedattempts': integer(4, 'Failed logins after which a user is blocked; 0: never', {
      min: -1,
      notRead: true,
    }),
  }),
  ...group('security/Authentication', {
    'security.login.maxperminute': integer(
      60,
      'Attempts to log in, get a token, register or reset a password per client address and minute; 0: no limit',
      { min: 0 },
    ),
    'security.credentialcache.seconds': integer(
      30,
      'How long a name and password that were right are remembered in memory (s); 0: never',
      { min: 0, max: 3600 },
    ),
  }),
} as const;
