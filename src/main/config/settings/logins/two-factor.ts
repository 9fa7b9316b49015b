import { network } from '../../checks.js';
import { choice, group, integer, multiChoice, string } from '../../setting.js';

export const twoFactorSettings = group('security/Two Factor Authentication', {
  'security.twofactorauthentication.level': integer(
    1,
    'Who needs a second factor to log in: 0 nobody, 1 users with isTwoFactorUser, 2 everybody',
    { min: 0, max: 2 },
  ),
  'security.twofactorauthentication.issuer': string('Svc', 'Name of the service in the app that shows the codes', {
    pattern: /^[A-Za-z0-9._~-]{1,64}$/,
    example: 'Svc: letters, digits and . _ ~ -',
  }),
  'security.twofactorauthentication.algorithm': choice('SHA1', ['SHA1', 'SHA256', 'SHA512'], 'Hash of the codes'),
  'security.twofactorauthentication.digits': choice('6', ['6', '8'], 'Digits of a code'),
  'security.twofactorauthentication.period': integer(30, 'How long a code is valid (s)', { min: 5, max: 3600 }),
  'security.twofactorauthentication.logintimeout': integer(
    30,
    'How long after the password the code may be entered (s)',
    { min: 1, max: 3600 },
  ),
  'security.twofactorauthentication.loginpage': string(
    '/twofactor',
    'Page where the code is entered; told to clients, which go there',
    { pattern: /^[!-~]{1,500}$/, example: '/twofactor' },
  ),
  'security.twofactorauthentication.whitelistedips': multiChoice(
    [],
    'Addresses or ranges such as 10.0.0.0/8 from where no second factor is needed',
    { check: network },
  ),
});
