import { boolean, group, integer, password, string } from '../../setting.js';

export const mailSettings = {
  ...group('smtp/SMTP Settings', {
    'smtp.host': string('localhost', 'Server that mails are given to'),
    'smtp.port': integer(25, 'Port of that server; 465: TLS from the first byte', { min: 1, max: 65_535 }),
    'smtp.user': string('', 'User for that server; empty, or without password: no login'),
    'smtp.password': password('', 'Password for that server'),
    'smtp.tls.enabled': boolean(true, 'Use TLS where the server offers it (STARTTLS)'),
    'smtp.tls.required': boolean(true, 'Give mails to a server with TLS only'),
  }),
  ...group('smtp/hidden', {
    'smtp.testing.only': boolean(false, 'Send no mail; the log says that one would have been sent', {
      hidden: true,
    }),
  }),
} as const;
