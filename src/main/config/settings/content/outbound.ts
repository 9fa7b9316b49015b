import { blockedAddresses, proxyUrl, urlPatterns } from '../../checks.js';
import { choice, group, integer, password, string } from '../../setting.js';

/** Calls of scripts to other servers (docs/interface/script-runtime.md 5.3). */
export const outboundSettings = group('application/Outbound Connections', {
  'application.httphelper.timeouts.connectionrequest': integer(
    60,
    'Time a call may wait while too many others are open (s); 0: no limit',
    { min: 0, max: 86_400 },
  ),
  'application.httphelper.timeouts.connect': integer(60, 'Time until a connection has to stand (s); 0: no limit', {
    min: 0,
    max: 86_400,
  }),
  'application.httphelper.timeouts.socket': integer(600, 'Silence after which a call is given up (s); 0: no limit', {
    min: 0,
    max: 86_400,
  }),
  'application.httphelper.useragent': string('curl/7.35.0', 'User-Agent of calls that set none', {
    pattern: /[\t\x20-\x7e]*/,
    example: 'svc',
  }),
  'application.httphelper.charset': string('ISO-8859-1', 'Charset of answers when neither they nor the call name one'),
  'application.httphelper.urlwhitelist': string(
    '*',
    'Regular expressions, separated by commas, one of which the whole URL of a call has to match; *: all',
    { check: urlPatterns },
  ),
  'application.httphelper.blockedaddresses': string(
    '',
    'Addresses and ranges such as 10.0.0.0/8 that calls of scripts, and mail servers they name, may not lead to, also behind names and redirects; private: all that are not public',
    { check: blockedAddresses },
  ),
  'application.httphelper.maxanswersize': integer(64, 'Largest answer of a call, unpacked (MB)', {
    min: 1,
    max: 1024,
  }),
  'application.proxy.mode': choice(
    'disabled',
    ['disabled', 'protected', 'public'],
    'Who may look at pages of other servers through /svc/proxy: nobody, users who are logged in, everybody. Public addresses alone, unless application.httphelper.urlwhitelist names others',
  ),
  'proxyservlet.maxsize': integer(5, 'Largest page of another server that /svc/proxy shows (MB)', { min: 1, max: 64 }),
  'proxyservlet.timeout': integer(30_000, 'Time until such a page has to be there (ms)', { min: 100, max: 600_000 }),
  'application.proxy.http.url': string(
    '',
    'Proxy that calls go through; empty: none. With application.httphelper.blockedaddresses names are resolved here, and it has to permit CONNECT to every port',
    { check: proxyUrl },
  ),
  'application.proxy.http.port': integer(0, 'Port of the proxy; 0: that of its URL', { min: 0, max: 65_535 }),
  'application.proxy.http.username': string('', 'User for the proxy; empty: none'),
  'application.proxy.http.password': password('', 'Password for the proxy'),
  'application.httphelper.maxcalls': integer(500, 'Calls that are open at a time', { min: 1, max: 100_000 }),
});
