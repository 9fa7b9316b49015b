/** Requests that servers have been led astray with, and some that only look like it (RFC 9112). */

/**
 * What becomes of a request: `refused` answered with an error and closed, `closed` without an answer, `silent` waits for more until
 * the connection's time is over, `served` answered with 200, `cut` is taken for a body that goes on. In none but `served` the handler
 * answers, and in no case the request behind it, `DELETE /hidden`, runs.
 */
export type Fate = 'refused' | 'closed' | 'silent' | 'served' | 'cut';

export interface Malformed {
  readonly name: string;
  /** `@` stands for the path of the request, `§` for that of the hidden request. */
  readonly bytes: string;
  readonly node: Fate;
  /** Where its parser leaves no choice it differs (docs/http.md). */
  readonly uws: Fate;
}

const HIDDEN = 'DELETE §';
const hidden = `${HIDDEN} HTTP/1.1\r\nHost: a\r\n\r\n`;
const rows: Malformed[] = [];

function add(name: string, bytes: string, node: Fate = 'refused', uws: Fate = node): void {
  rows.push({ name, bytes, node, uws });
}

/** A GET with one more header line, or whatever stands in its place. */
function get(line: string): string {
  return `GET @ HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n`;
}

function post(lines: string, body = ''): string {
  return `POST @ HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n${body}`;
}

function chunked(body: string): string {
  return post('Transfer-Encoding: chunked', body);
}

for (const length of [
  '',
  ' ',
  '+3',
  '-3',
  '3,3',
  '3, 3',
  '3 3',
  '0x3',
  '3.0',
  '3e0',
  '3;',
  '"3"',
  'abc',
  '3a',
  '\u00b2',
  '99999999999999999999',
  '18446744073709551619',
  '1_0',
  '３',
])
  add(
    `Content-Length ${JSON.stringify(length)}`,
    post(`Content-Length:${length === '' ? '' : ` ${length}`}`, `abc${hidden}`),
  );
for (const [first, second] of [
  ['3', '3'],
  ['3', '30'],
  ['30', '3'],
  ['0', '3'],
  ['3', ''],
  ['', '3'],
  ['3', '+3'],
  ['3', '03'],
] as const)
  add(
    `Content-Length ${first} and ${second}`,
    post(`Content-Length: ${first}\r\nContent-Length: ${second}`, `abc${hidden}`),
  );
for (const coding of [
  '',
  ' ',
  'identity',
  'xchunked',
  'chunkedx',
  'chunk',
  'gzip',
  'gzip, chunked',
  'chunked, gzip',
  'chunked, chunked',
  'chunked;q=1',
  '"chunked"',
  ', chunked',
  'chunked,',
  'chunked identity',
  '\u000bchunked',
  'chunked\u0000',
])
  add(
    `Transfer-Encoding ${JSON.stringify(coding)}`,
    post(`Transfer-Encoding:${coding === '' ? '' : ` ${coding}`}`, `0\r\n\r\n${hidden}`),
    'refused',
    // eslint-disable-next-line no-control-regex
    /[\u0000\u000b]/.test(coding) ? 'silent' : 'refused',
  );
for (const [first, second] of [
  ['chunked', 'chunked'],
  ['chunked', 'identity'],
  ['identity', 'chunked'],
  ['chunked', ''],
  ['', 'chunked'],
  ['x', 'chunked'],
] as const)
  add(
    `Transfer-Encoding ${first} and ${second}`,
    post(`Transfer-Encoding: ${first}\r\nTransfer-Encoding: ${second}`, `0\r\n\r\n${hidden}`),
  );
for (const length of ['0', '3', '6', '100', '', 'x'])
  for (const order of ['length first', 'coding first']) {
    const both = [`Content-Length: ${length}`, 'Transfer-Encoding: chunked'];
    if (order === 'coding first') both.reverse();
    add(`both lengths, ${length}, ${order}`, post(both.join('\r\n'), `0\r\n\r\n${hidden}`));
  }
for (const host of [
  '',
  ' ',
  'a/b',
  'a@b',
  'a b',
  'a,b',
  'a?b',
  'a#b',
  'a\\b',
  'a:b',
  'a:80:80',
  'a:',
  'http://a',
  '[::1',
  '::1',
  'a..b',
  '.a',
  '-a',
  '<a>',
  'a"',
  "a'",
  'a;b',
  '%61',
  '\u00e4',
  'x'.repeat(300),
])
  add(
    `Host ${JSON.stringify(host.slice(0, 20))}`,
    `GET @ HTTP/1.1\r\nHost:${host === '' ? '' : ` ${host}`}\r\n\r\n${hidden}`,
  );
add('no Host', `GET @ HTTP/1.1\r\nX: y\r\n\r\n${hidden}`);
add('two Hosts', get(`Host: b`) + hidden);
add('two equal Hosts', get(`Host: a`) + hidden);
add('Host behind white space', `GET @ HTTP/1.1\r\n Host: a\r\n\r\n${hidden}`, 'refused', 'silent');
for (const line of [': x', ':', ':: x']) add(`header ${JSON.stringify(line)}`, get(line), 'refused', 'served');
for (const line of [
  'abc',
  'a b: c',
  'a\tb: c',
  'a\u0000b: c',
  'a\u0001: b',
  'a\u007f: b',
  '\u00e4: b',
  'a(b: c',
  'a"b: c',
  'a/b: c',
  'a[b]: c',
  'a{b}: c',
  'a,b: c',
  'a;b: c',
  'a=b: c',
  'a?b: c',
  'a@b: c',
  'a\\b: c',
  'Transfer-Encoding : chunked',
  'Content-Length : 3',
  'Content-Length\t: 3',
  'X : y',
  ' X: y',
  '\tX: y',
  '<x>: y',
])
  add(`header ${JSON.stringify(line)}`, get(line) + hidden, 'refused', 'silent');
for (const value of ['a\u0000b', 'a\u0001b', 'a\u0008b', 'a\u000bb', 'a\u001fb', 'a\rb', 'a\nb', '\u0000', 'a\r\rb'])
  add(`value ${JSON.stringify(value)}`, get(`X: ${value}`) + hidden, 'refused', 'silent');
add('value with DEL', get('X: a\u007fb') + hidden);
for (const [name, line] of [
  ['space', 'X: a\r\n b'],
  ['tab', 'X: a\r\n\tb'],
  ['a length', 'X: a\r\n Content-Length: 30'],
  ['nothing', 'X: a\r\n \r\nY: b'],
] as const)
  add(`folded line with ${name}`, get(line) + hidden, 'refused', 'silent');
add('folded Transfer-Encoding', post('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${hidden}`), 'refused', 'silent');
add('LF behind the request line', `GET @ HTTP/1.1\nHost: a\r\n\r\n${hidden}`);
add('LF behind a header', `GET @ HTTP/1.1\r\nHost: a\nX: y\r\n\r\n${hidden}`, 'refused', 'silent');
add('LF behind the head', `GET @ HTTP/1.1\r\nHost: a\r\n\n${hidden}`, 'refused', 'silent');
add('LF alone', `GET @ HTTP/1.1\nHost: a\n\n${hidden}`);
add('CR behind the request line', `GET @ HTTP/1.1\rHost: a\r\n\r\n${hidden}`);
add('CR CR LF', `GET @ HTTP/1.1\r\r\nHost: a\r\n\r\n${hidden}`);
for (const version of [
  'HTTP/0.9',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/3.0',
  'HTTP/1',
  'HTTP/1.',
  'HTTP/1.11',
  'HTTP/01.1',
  'http/1.1',
  'HTTP 1.1',
  'HTTP/1.1x',
  'XTTP/1.1',
  'HTTPS/1.1',
  'HTTP/1,1',
  'ICE/1.0',
])
  add(`version ${version}`, `GET @ ${version}\r\nHost: a\r\n\r\n${hidden}`);
add('no version', `GET @\r\nHost: a\r\n\r\n${hidden}`);
for (const target of [
  '*',
  'x',
  'a:80',
  '@ x',
  'ftp://a/',
  'http://b@',
  'http://a:x@',
  'http:///',
  '//\u0001',
  '@\u0001',
  '@\u007f',
  '@\u0000',
  '\t@',
  '@#',
  '@#x',
  '@?x#y',
  '@?#',
])
  add(`target ${JSON.stringify(target)}`, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n${hidden}`, 'refused');
// RFC 9112, 3: lenient parsers may take more white space for one; it hides nothing.
add('two spaces', 'GET  @ HTTP/1.1\r\nHost: a\r\n\r\n', 'served', 'refused');
add('a tab for a space', `GET\t@ HTTP/1.1\r\nHost: a\r\n\r\n${hidden}`);
add('CONNECT', `CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n${hidden}`);
for (const method of ['G@T', 'G(T', 'G\u0001T', 'G"T', '\u00c4', 'GET,', '{}'])
  add(`method ${JSON.stringify(method)}`, `${method} @ HTTP/1.1\r\nHost: a\r\n\r\n${hidden}`);
add('expectation', post('Content-Length: 3\r\nExpect: miracles', `abc${hidden}`));
add('97 headers', get('X: y\r\n'.repeat(96).trimEnd()) + hidden);
add('150 headers', get('X: y\r\n'.repeat(150).trimEnd()) + hidden, 'refused', 'silent');
add('a large head', get(`X: ${'y'.repeat(9000)}`) + hidden);
add('a head without an end', `GET @ HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(40_000)}`);
for (const size of ['-3', '+3', '0x3', 'g', '', ' 3', '3 3', '\u00b3', 'fffffffffffffffff', '3\u0000'])
  add(`chunk of size ${JSON.stringify(size)}`, chunked(`${size}\r\nabc\r\n0\r\n\r\n${hidden}`), 'refused');
add('chunk without its end', chunked(`3\r\nabc0\r\n\r\n${hidden}`), 'refused');
add('chunk with another end', chunked(`3\r\nabcXX0\r\n\r\n${hidden}`), 'refused');
add('chunk too long', chunked(`3\r\nabcd\r\n0\r\n\r\n${hidden}`), 'refused');
add('chunks with LF', chunked(`3\nabc\n0\n\n${hidden}`), 'refused');
add('last chunk without its end', chunked(`0\r\nXX${hidden}`), 'refused');
add('trailer', chunked(`3\r\nabc\r\n0\r\nX: y\r\n\r\n`), 'served', 'refused');
add('request in the place of a trailer', chunked(`3\r\nabc\r\n0\r\n${hidden}`), 'refused');
add('request behind a trailer name', chunked(`3\r\nabc\r\n0\r\nX: ${hidden}`), 'served', 'refused');
add('Host in the trailer', chunked(`3\r\nabc\r\n0\r\nHost: b\r\n\r\n`), 'served', 'refused');
add('chunk extension', chunked(`3;a=b\r\nabc\r\n0\r\n\r\n`), 'served', 'cut');
add('quoted chunk extension', chunked(`3;a="b"\r\nabc\r\n0;c\r\n\r\n`), 'served', 'refused');
add(
  'chunked body of HTTP/1.0',
  `POST @ HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
);
add('HTTP/1.0', 'GET @ HTTP/1.0\r\nHost: a\r\n\r\n', 'served', 'refused');
add('whole URL', 'GET http://a@ HTTP/1.1\r\nHost: a\r\n\r\n', 'served', 'refused');
add('plain request', get('X: y'), 'served');
add('plain body', post('Content-Length: 3', 'abc'), 'served');
add('chunked body', chunked('3\r\nabc\r\n0\r\n\r\n'), 'served');
add('tabs around a value', get('X:\ty\t'), 'served');
add('empty value', get('X:'), 'served');

export const corpus: readonly Malformed[] = rows;
