/** What the tests of imports share. */
import { expect } from 'vitest';
import type { Answer } from '../../support/client.js';

export const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

/** Expects the refusal of a request. */
export function refused(answer: Answer, status: number, message: RegExp): void {
  expect([answer.status, answer.body.message], answer.text).toEqual([status, expect.stringMatching(message)]);
}
