import { boolean, group, string } from '../setting.js';

export const registrationSettings = {
  ...group('servlets/JsonRestServlet', {
    'jsonrestservlet.user.autocreate': boolean(
      false,
      'Let people register themselves, also by a first login with another provider',
    ),
  }),
  ...group('security/User self-registration', {
    'registration.customuserclass': string('', 'Type of the users who register themselves; empty: User'),
  }),
} as const;
