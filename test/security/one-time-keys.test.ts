import { describe, expect, it } from 'vitest';
import { fillHtml, fillText, oneLine } from '../../src/main/mail/fill.js';
import { localPath } from '../../src/main/rest/login/confirmation-links.js';
import {
  isInTime,
  isStoredFor,
  newConfirmationKey,
  newResetKey,
  storedForms,
  storedKey,
  userOfResetKey,
} from '../../src/main/security/registration/one-time-keys.js';

const ID = 'a'.repeat(32);

describe('one-time keys', () => {
  it('fit what is stored of them, and nothing else', () => {
    const key = newConfirmationKey();
    expect([isStoredFor(key, storedKey(key)), isStoredFor(newConfirmationKey(), storedKey(key))]).toEqual([
      true,
      false,
    ]);
  });

  it('may be stored in clear', () => {
    expect(isStoredFor('mine', 'mine')).toBe(true);
  });

  it('are no hashes: who reads one has no key', () => {
    for (const stored of [storedKey(newConfirmationKey()), storedKey('mine')]) {
      expect(storedForms(stored)).toEqual([]);
      expect(isStoredFor(stored, stored)).toBe(false);
    }
  });

  it.each(['', 'x'.repeat(201)])('are neither empty nor endless', (key) => {
    expect(storedForms(key)).toEqual([]);
  });

  it('of a reset name their user, others do not', () => {
    expect([userOfResetKey(newResetKey(ID)), userOfResetKey(newConfirmationKey())]).toEqual([ID, undefined]);
  });

  it('run out', () => {
    const at = (minutes: number): string => `x!${String(Date.now() - minutes * 60_000)}`;
    expect([isInTime(at(4), 5, false), isInTime(at(6), 5, true)]).toEqual([true, false]);
    expect([isInTime('x', 5, false), isInTime('x', 5, true)]).toEqual([false, true]);
  });
});

describe('texts of mails', () => {
  const values = new Map([
    ['a', '${b}<&>"\''],
    ['b', 'secret'],
  ]);

  it('get values that are not looked through again', () => {
    expect(fillText('${a} ${ b } ${c} ${a + 1}', values)).toBe('${b}<&>"\' secret  ${a + 1}');
  });

  it('get no markup in HTML', () => {
    expect(fillHtml('<p>${a}</p>', values)).toBe('<p>${b}&lt;&amp;&gt;&quot;&#39;</p>');
  });

  it('stay one line in headers', () => {
    expect(oneLine(' a\r\nBcc: b\u2028c\u0000 ')).toBe('a Bcc: b c');
  });
});

describe('where links go on to', () => {
  it.each([
    ['/a/b?c=d', '/a/b?c=d'],
    ['a', '/a'],
    ['https://other.example/a', '/a'],
    ['//other.example', '/'],
    ['\\\\other.example\\a', '/a'],
    ['/..//other.example', '/other.example'],
    ['https://x//other.example', '/other.example'],
    ['/a\r\nSet-Cookie: x=y', '/aSet-Cookie:%20x=y'],
    ['http://[', '/'],
    ['foo:/%5Cother.example', '/'],
    ['foo:/\\other.example', '/'],
    [' ', undefined],
    [null, undefined],
  ])('%j: %j', (target, expected) => {
    expect(localPath(target)).toBe(expected);
  });
});
