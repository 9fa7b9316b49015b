/** One event, one line: what comes from outside forges none. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logger, setLogSink } from '../../src/shared/log.js';

const lines: string[] = [];
let before: (line: string) => void;
beforeEach(() => {
  lines.length = 0;
  before = setLogSink((line) => lines.push(line));
});
afterEach(() => {
  setLogSink(before);
});

describe('the log', () => {
  it('keeps what looks like an event out of the first column', () => {
    const forged = '2026-01-01T00:00:00.000Z ERROR org.svc.main - forged';
    logger('test').warn(`a\n${forged}`, new Error(`b\r\n${forged}\u2028${forged}`));
    const written = lines.join('').split(/[\r\n\u2028\u2029]/);
    expect(written.filter((line) => line.includes('forged')).length).toBeGreaterThan(1);
    expect(written.slice(1).filter((line) => /^\S/.test(line))).toEqual([]);
  });
});
