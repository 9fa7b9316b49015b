import { boolean, group, integer, password, string } from '../../setting.js';

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
    'initialuser.documentedpassword.anywhere': boolean(
      false,
      'Administrators may log in from any address with the documented initial password, the word admin; off: from the machine of the server (loopback) alone, until it is changed',
    ),
  }),
  ...group('security/Sessions', {
    'application.session.timeout': integer(
      1800,
      'Seconds without a request after which a session ends; 0 or less: never',
    ),
    'application.session.maxage': integer(
      604_800,
      'Seconds after the login at which a session ends however busy it is; 0: never',
      { min: 0 },
    ),
    'application.session.max.number': integer(-1, 'Sessions a user may have at once; -1: any number', { min: -1 }),
    'application.session.clear.onstartup': boolean(
      false,
      'End all sessions at start, unless another instance lives on the same database (it counts as living for cluster.lease.time after its end)',
      { restart: true },
    ),
    'application.session.clear.onshutdown': boolean(
      false,
      'End all sessions when the server stops, unless another instance lives on the same database',
    ),
  }),
  ...group('security/Permissions', {
    'application.security.resolution.depth': integer(
      5,
      'Relationships along which permissions are propagated at most',
      { min: 0, max: 20, restart: true },
    ),
    'security.administration.byusers': boolean(
      false,
      'Users who are no administrators may write, where an endpoint permits it, what runs or counts with the rights of others: schema, permissions, grants, CORS settings, scripts of mail templates',
    ),
  }),
  ...group('security/Authentication', {
    'security.authentication.propertykeys': string(
      '',
      'Further properties a user may log in with, as <Type>.<key> separated by blanks',
    ),
    'security.authentication.header.enabled': boolean(
      true,
      'Requests may say who asks by X-User and X-Password; off: they are refused, those of the superuser too',
    ),
    'security.authentication.header.singlefactor': boolean(
      false,
      'X-User and X-Password, and Basic, are enough for users with a second factor and for those whose registration is not confirmed',
    ),
    'security.login.maxperminute': integer(
      60,
      'Attempts to log in, get a token, register or reset a password, and wrong passwords in headers, per client address and minute; 0: no limit',
      { min: 0 },
    ),
    'security.credentialcache.seconds': integer(
      30,
      'How long a name and password that were right are remembered in memory (s); 0: never',
      { min: 0, max: 3600 },
    ),
  }),
} as const;
