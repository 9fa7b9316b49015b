import { httpUrl, network, networks, rootPath } from '../../checks.js';
import { boolean, choice, group, integer, longText, multiChoice, password, path, string } from '../../setting.js';

const PORT = { min: 0, max: 65_535, restart: true } as const;
const HEADERS =
  'Strict-Transport-Security:max-age=60,X-Content-Type-Options:nosniff,X-Frame-Options:SAMEORIGIN,X-XSS-Protection:1;mode=block';

export const httpSettings = {
  ...group('server/Interfaces', {
    'application.host': string('0.0.0.0', 'Address the server listens on', { restart: true }),
    'application.http.port': integer(8082, 'HTTP port; 0 takes any free one', PORT),
    'application.http.transport': choice(
      'auto',
      ['auto', 'uws', 'node'],
      'Library that speaks HTTP: uws is faster, node keeps every limit and refuses all that is ambiguous; auto: uws where its binary loads, else node (docs/http.md)',
      { restart: true },
    ),
    'application.http.threads': integer(
      1,
      'Threads that accept connections and answer what only reads; 0: as many as there are processors, at most 8 (docs/threads.md)',
      { min: 0, max: 64, restart: true },
    ),
    'application.https.port': integer(8083, 'HTTPS port; 0 takes any free one', PORT),
    'application.https.enabled': boolean(false, 'Serve HTTPS too; needs a certificate', { restart: true }),
    'application.https.certificate': path(
      '',
      'Certificate in PEM form, followed by those that signed it; empty: the keystore is used. Changed files are noticed',
    ),
    'application.https.key': path('', 'Private key in PEM form; empty: it is in the file of the certificate'),
    'application.https.key.passphrase': password('', 'Passphrase of the private key'),
    'application.keystore.path': path('domain.key.keystore', 'PKCS#12 keystore with certificate and private key'),
    'application.keystore.password': password('', 'Password of the keystore'),
    'application.baseurl.override': string('', 'Base of the URLs the server writes, in place of the one it works out', {
      check: httpUrl,
    }),
    'application.root.path': string(
      '',
      'Path before the redirects of logins, where a proxy serves all of this below it (/app)',
      {
        check: rootPath,
      },
    ),
  }),
  ...group('server/HTTP Settings', {
    'httpservice.gzip.enabled': boolean(true, 'Compress answers for clients that ask for it', { restart: true }),
    'httpservice.httpbasicauth.enabled': boolean(
      false,
      'Files with enableBasicAuth ask browsers for name and password (Basic); without HTTPS these can be read on the way',
    ),
    'httpservice.welcome.enabled': boolean(
      true,
      'Answer / (without an index.html in the top folder), /svc and, for browsers, /svc/rest with a page that tells name, version and how to log in',
    ),
    'htmlservlet.customresponseheaders': longText(HEADERS, 'Headers of every answer: name:value, separated by commas'),
  }),
  ...group('server/HTTPS Settings', {
    'httpservice.force.https': boolean(false, 'Redirect plain requests to HTTPS', { restart: true }),
    'httpservice.ssl.protocols.included': string(
      'TLSv1.2,TLSv1.3',
      'Versions of TLS that are served, separated by commas; TLSv1.3 always is',
      { restart: true },
    ),
    'httpservice.ssl.protocols.excluded': string(
      'TLSv1,TLSv1.1',
      'Versions of TLS that are not served, separated by commas; those before TLSv1.2 never are',
      { restart: true },
    ),
    'httpservice.ssl.ciphers.excluded': string(
      '',
      'Cipher suites of TLS 1.2 that are not offered, by their IANA or OpenSSL names, separated by commas',
      { restart: true },
    ),
    'httpservice.cookies.httponly': boolean(true, 'Scripts in pages cannot read cookies'),
    'httpservice.cookies.samesite': choice(
      'Lax',
      ['Lax', 'Strict', 'None'],
      'Which requests from other sites carry cookies; None holds for cookies sent over HTTPS only, others stay Lax',
    ),
    'httpservice.cookies.secure': boolean(
      false,
      'Cookies of plain requests too are for HTTPS alone; those of HTTPS requests always are',
    ),
    'httpservice.hsts.maxage': integer(
      0,
      'Strict-Transport-Security of answers over HTTPS (s); 0: as in htmlservlet.customresponseheaders',
      { min: 0 },
    ),
  }),
  ...group('server/CORS Settings', {
    'access.control.accepted.origins': string(
      '',
      'Origins whose scripts may read answers, separated by commas; * for all. CORS entries for a path go before these',
    ),
    'access.control.max.age': integer(3600, 'How long browsers remember what is allowed (s)', { min: -1 }),
    'access.control.allow.methods': string('', 'Methods that other origins may use, separated by commas'),
    'access.control.allow.headers': string(
      'Authorization,refresh_token',
      'Request headers that other origins may send, separated by commas',
    ),
    'access.control.allow.credentials': string(
      '',
      'Other origins may send cookies when this is true; only those that are named, not those that * accepts',
    ),
    'access.control.expose.headers': string('', 'Response headers that scripts may read, separated by commas'),
  }),
  ...group('server/Proxies', {
    'httpservice.trustedproxies': multiChoice(
      [],
      'Addresses and CIDR ranges of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed',
      { check: network },
    ),
  }),
  ...group('server/Limits', {
    'httpservice.headers.maxsize': integer(8192, 'Largest header block of a request (bytes)', {
      min: 1024,
      max: 1_048_576,
      restart: true,
    }),
    'httpservice.body.maxsize': integer(16_777_216, 'Largest JSON body of a request (bytes)', {
      min: 1024,
      max: 1_073_741_824,
    }),
    'httpservice.body.maxvalues': integer(
      1_000_000,
      'Most values in one JSON body: elements and members, all together; more are answered with 413',
      { min: 1000 },
    ),
    'httpservice.body.maxobjects': integer(
      100_000,
      'Most objects in one JSON body, nested ones counted too; more are answered with 413',
      { min: 100 },
    ),
    'httpservice.values.maxbytes': integer(
      268_435_456,
      'What the values of JSON bodies take of the heap, all together (bytes); more are answered with 503; 0: no limit',
      { min: 0 },
    ),
    'httpservice.values.maxbytesperaddress': integer(
      134_217_728,
      'What the values of JSON bodies of one client address take of the heap (bytes); more are answered with 503; 0: no limit',
      { min: 0 },
    ),
    'httpservice.values.maxbytesperuser': integer(
      134_217_728,
      'What the values of JSON bodies of one user take of the heap (bytes); more are answered with 503; 0: no limit',
      { min: 0 },
    ),
    'httpservice.bodies.maxbytes': integer(
      268_435_456,
      'Request bodies in memory, all together (bytes); more are answered with 503; 0: no limit',
      { min: 0 },
    ),
    'httpservice.bodies.maxbytesperaddress': integer(
      134_217_728,
      'Request bodies in memory of one client address (bytes); more are answered with 503; 0: no limit',
      { min: 0 },
    ),
    'httpservice.answers.maxbytes': integer(
      268_435_456,
      'Answers in memory that wait for slow readers, all together (bytes); more are answered with 503 or cut off; 0: no limit',
      { min: 0 },
    ),
    'httpservice.answers.maxbytesperaddress': integer(
      134_217_728,
      'Answers in memory that wait for slow readers of one client address (bytes); 0: no limit',
      { min: 0 },
    ),
    'httpservice.answers.readtimeout': integer(
      30_000,
      'An answer of which its reader takes nothing for so long is broken off (ms)',
      { min: 1000, restart: true },
    ),
    'httpservice.request.timeout': integer(30_000, 'Longest time a client may take to send a request (ms)', {
      min: 100,
      restart: true,
    }),
    'httpservice.idle.timeout': integer(
      30_000,
      'A connection without traffic is closed after this time (ms); after about 10 s with transport uws',
      {
        min: 1000,
        restart: true,
      },
    ),
    'httpservice.connections.max': integer(
      0,
      'Open connections of all clients; further ones are closed at once; 0: as many as the system lets the process open files, but for a quarter of these, 1024 at most',
      { min: 0, restart: true },
    ),
    'httpservice.connections.maxperaddress': integer(
      512,
      'Open connections per client address, with transport uws those that wait for their client; 0: no limit',
      {
        min: 0,
        restart: true,
      },
    ),
    'httpservice.shutdown.grace': integer(10_000, 'Time running requests get to finish when the server stops (ms)', {
      min: 0,
    }),
  }),
  ...group('dosfilter/DoS Filter Settings', {
    'httpservice.dosfilter.ratelimiting': boolean(false, 'Slow down clients that send too many requests'),
    'httpservice.dosfilter.maxrequestspersec': integer(10, 'Requests of a client address per second without delay', {
      min: 1,
    }),
    'httpservice.dosfilter.delayms': integer(
      100,
      'Delay of requests beyond that (ms); 0: no delay, -1: they are refused at once',
      { min: -1, max: 600_000 },
    ),
    'httpservice.dosfilter.throttledrequests': integer(5, 'Requests beyond the limit that run at the same time', {
      min: 1,
    }),
    'httpservice.dosfilter.maxwaitms': integer(50, 'Wait for a turn that does not count as throttling yet (ms)', {
      min: 0,
      max: 600_000,
    }),
    'httpservice.dosfilter.throttlems': integer(30_000, 'Further wait for a turn before the answer is 503 (ms)', {
      min: 0,
      max: 600_000,
    }),
    'httpservice.dosfilter.maxrequestms': integer(
      30_000,
      'Longest run of a request before the answer is 503, with rate limiting (ms); 0: no limit',
      { min: 0, max: 86_400_000 },
    ),
    'httpservice.dosfilter.maxidletrackerms': integer(30_000, 'A silent client is forgotten after this time (ms)', {
      min: 0,
      max: 86_400_000,
    }),
    'httpservice.dosfilter.insertheaders': boolean(
      true,
      'Say DoSFilter: delayed, throttled or unavailable in answers to slowed down requests',
    ),
    'httpservice.dosfilter.remoteport': boolean(
      false,
      'Count every connection for itself, not every address; needs transport node',
    ),
    'httpservice.dosfilter.managedattr': boolean(true, 'Without meaning for this server', { notRead: true }),
    'httpservice.dosfilter.ipwhitelist': string(
      '127.0.0.1',
      'Addresses and CIDR ranges that are not limited, separated by commas',
      { check: networks },
    ),
    'httpservice.dosfilter.toomanycode': integer(429, 'Status of requests that are refused', { min: 400, max: 599 }),
  }),
} as const;
