import { describe, expect, it } from 'vitest';
import { acceptsCoding } from '../../src/main/http/response/compression.js';
import { DefaultHeaders, PreparedHeaders, ResponseHead } from '../../src/main/http/response/response-head.js';

const lines = (text: string): string[] => text.split('\r\n');
const NONE = new DefaultHeaders({});

describe('prepared headers', () => {
  const prepared = new PreparedHeaders({ 'Content-Type': 'text/plain', ETag: '"a"', Vary: 'Accept-Encoding' });

  it('stand beside others and the defaults, each name once', () => {
    const defaults = new DefaultHeaders({ etag: 'default', 'X-Frame-Options': 'DENY', 'X-Own': 'default' });
    const head = new ResponseHead();
    head.setAll(prepared);
    const alone = ['200 OK', 'Content-Type: text/plain', 'ETag: "a"', 'Vary: Accept-Encoding', 'X-Frame-Options: DENY'];
    expect(lines(head.text(200, defaults))).toEqual([...alone, 'X-Own: default']);
    head.set('X-Own', 'mine');
    expect(lines(head.text(200, defaults)).sort()).toEqual([...alone, 'X-Own: mine'].sort());
    expect(lines(head.text(206, NONE))[0]).toBe('206 Partial Content');
  });

  it('are not mixed up between statuses and changed defaults', () => {
    for (const [status, value] of [
      [200, 'a'],
      [304, 'a'],
      [304, 'b'],
      [200, 'a'],
    ] as const) {
      const head = new ResponseHead();
      head.setAll(prepared);
      const text = head.text(status, new DefaultHeaders({ 'X-Own': value }));
      expect(text.startsWith(`${String(status)} `)).toBe(true);
      expect(text.endsWith(`X-Own: ${value}`)).toBe(true);
    }
  });

  it('can be changed like any others, in one response only', () => {
    const head = new ResponseHead();
    head.setAll(prepared);
    head.set('content-type', 'text/html');
    expect(head.take('vary')).toBe('Accept-Encoding');
    head.weaken();
    expect(lines(head.text(200, NONE)).sort()).toEqual(['200 OK', 'Content-Type: text/html', 'ETag: W/"a"'].sort());
    expect(prepared.get('content-type')).toBe('text/plain');
  });

  it('stand beside other prepared ones, which are written once together', () => {
    const [first, second] = [
      new PreparedHeaders({ Vary: 'Cookie, Accept-Encoding' }),
      new PreparedHeaders({ 'X-One': '1' }),
    ];
    const text = (): string => {
      const head = new ResponseHead();
      head.setAll(first);
      head.setAll(second);
      head.vary('accept-encoding');
      return head.text(200, NONE);
    };
    expect(lines(text())).toEqual(['200 OK', 'Vary: Cookie, Accept-Encoding', 'X-One: 1']);
    expect(first.with(second)).toBe(first.with(second));
    expect(lines(text())).toHaveLength(3);
    // What has a name in common is put together each time.
    expect(first.with(prepared)).toBeUndefined();
    const head = new ResponseHead();
    head.setAll(first);
    head.setAll(prepared);
    expect(head.get('vary')).toBe('Cookie, Accept-Encoding');
    expect(head.get('etag')).toBe('"a"');
  });

  it('add to Vary, and replace what else is there', () => {
    const head = new ResponseHead();
    head.set('Vary', 'Origin');
    head.set('ETag', '"old"');
    head.setAll(prepared);
    expect(head.get('vary')).toBe('Origin, Accept-Encoding');
    expect(head.get('etag')).toBe('"a"');
    head.vary('origin');
    expect(head.get('vary')).toBe('Origin, Accept-Encoding');
    head.set('Vary', '*');
    head.vary('Cookie');
    expect(head.get('vary')).toBe('*');
  });

  it('are checked like any others', () => {
    expect(() => new PreparedHeaders({ 'X-A': 'a\r\nb' })).toThrow();
    expect(() => new PreparedHeaders({ Connection: 'close' })).toThrow();
  });
});

it('a weak validator stays what it is', () => {
  const head = new ResponseHead();
  head.weaken();
  expect(head.get('etag')).toBeUndefined();
  head.set('ETag', 'W/"a"');
  head.weaken();
  expect(head.get('etag')).toBe('W/"a"');
});

it.each([
  ['gzip, br', 'br', true],
  ['gzip', 'br', false],
  ['br;q=0, *', 'br', false],
  ['*', 'br', true],
  ['*;q=0', 'gzip', false],
  ['GZIP;Q=0.5', 'gzip', true],
  ['x-gzip', 'gzip', true],
  ['', 'gzip', false],
])('Accept-Encoding: %s takes %s: %s', (header, coding, takes) => {
  expect(acceptsCoding(header, coding)).toBe(takes);
});
