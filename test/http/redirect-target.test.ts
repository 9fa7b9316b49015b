import { describe, expect, it } from 'vitest';
import { targetOf } from '../../src/main/http/redirect/redirect-target.js';

describe('the target of a form', () => {
  it.each([
    ['/next', '/next'],
    ['/next?a=1&b=%2F#part', '/next?a=1&b=%2F'],
    ['next', '/next'],
    ['https://elsewhere.example/next?a=1', '/next?a=1'],
    ['?a=1', '/?a=1'],
    ['/größe', '/gr%C3%B6%C3%9Fe'],
    ['', '/'],
    [undefined, '/'],
  ])('%j is %s', (given, expected) => {
    expect(targetOf(given)).toBe(expected);
  });

  it.each([
    '//evil.example',
    '///evil.example',
    '////evil.example/%2e%2e',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\u0000//evil.example',
    ' //evil.example',
    'https:evil.example',
    'https:/evil.example',
    'https:///evil.example',
    'http:evil.example',
    'http://here.invalid//evil.example',
    'https://x//evil.example',
    'https://x/\\evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/%2e//evil.example',
    '/%2f%2fevil.example',
    '/%5cevil.example',
    '/%09/evil.example',
    '//evil.example@here.invalid/',
    'https://here.invalid@evil.example/',
    'javascript:alert(1)',
    'javascript://evil.example/%0aalert(1)',
    'data:text/html,x',
    'foo:\\\\evil.example',
    'mailto:x@evil.example',
    '/x\r\nSet-Cookie: a=b',
    '/\u2028/evil.example',
    '／／evil.example',
    'a'.repeat(5000),
  ])('%j stays on this host', (given) => {
    const location = targetOf(given);
    expect(location).toMatch(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/);
    expect(new URL(location, 'https://svc.example').host).toBe('svc.example');
  });
});
