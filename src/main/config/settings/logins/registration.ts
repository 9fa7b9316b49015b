import { boolean, group, integer, multiChoice, string } from '../../setting.js';

export const registrationSettings = {
  ...group('servlets/JsonRestServlet', {
    'jsonrestservlet.user.autocreate': boolean(
      false,
      'Let people register themselves, also by a first login with another provider',
    ),
    'jsonrestservlet.user.autologin': boolean(false, 'Confirmation and password reset links log in'),
    'jsonrestservlet.user.class': string(
      'org.svc.dynamic.User',
      'Without effect, kept for old settings files: see registration.customuserclass',
      { notRead: true },
    ),
  }),
  ...group('security/User self-registration', {
    'registration.customuserclass': string('', 'Type of the users who register themselves; empty: User'),
    'registration.customuserattributes': multiChoice(
      ['name'],
      'Properties a registering user may set besides eMail; what decides about rights and logins is refused',
    ),
    'registration.allowloginbeforeconfirmation': boolean(
      false,
      'Let users log in while their registration is not confirmed',
    ),
  }),
  ...group('security/Confirmation Key Validity', {
    'confirmationkey.registration.validityperiod': integer(2880, 'How long a registration link is valid (min)', {
      min: 0,
    }),
    'confirmationkey.passwordreset.validityperiod': integer(30, 'How long a password reset link is valid (min)', {
      min: 0,
    }),
    'confirmationkey.validwithouttimestamp': boolean(
      false,
      'Confirmation keys that applications wrote without their time are valid',
    ),
  }),
} as const;
