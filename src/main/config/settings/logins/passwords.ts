import { boolean, group, integer } from '../../setting.js';

export const passwordSettings = {
  ...group('security/Password Policy', {
    'security.passwordpolicy.maxfailedattempts': integer(4, 'Failed logins after which a user is blocked; 0: never', {
      min: -1,
    }),
    'security.passwordpolicy.resetfailedattemptsonpasswordreset': boolean(
      true,
      'Following a password reset link forgets failed logins',
    ),
    'security.passwordpolicy.forcechange': boolean(false, 'Refuse passwords that are older than maxage'),
    'security.passwordpolicy.maxage': integer(90, 'Age at which a password must be changed (days)', { min: 0 }),
    'security.passwordpolicy.remindtime': integer(
      14,
      'Days before maxage from which on applications may remind users; they find it in /svc/rest/_env, the server does nothing',
      { min: 0 },
    ),
    'security.passwordpolicy.onchange.clearsessions': boolean(
      false,
      'End all sessions and refresh tokens of a user whose password changes',
    ),
  }),
  ...group('security/Password Policy - Complexity', {
    'security.passwordpolicy.complexity.enforce': boolean(false, 'Apply these rules to every password that is set'),
    'security.passwordpolicy.complexity.minlength': integer(8, 'Characters a password has at least', {
      min: 0,
      max: 1000,
    }),
    'security.passwordpolicy.complexity.requireuppercase': boolean(false, 'A password needs one of A-Z'),
    'security.passwordpolicy.complexity.requirelowercase': boolean(false, 'A password needs one of a-z'),
    'security.passwordpolicy.complexity.requiredigits': boolean(false, 'A password needs one of 0-9'),
    'security.passwordpolicy.complexity.requirenonalphanumeric': boolean(
      false,
      'A password needs a character that is none of A-Z, a-z and 0-9',
    ),
  }),
} as const;
