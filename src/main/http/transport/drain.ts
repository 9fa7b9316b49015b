import type { RequestBody } from '../request/request-body.js';

/** Of a body that nobody wants, so many bytes are still taken before its connection is closed. */
export const DRAIN_BYTES = 1024 * 1024;
/** ... and for so many steps, fewer when nothing comes any more. */
const STEPS = 40;
const STEP_MS = 50;
const QUIET_STEPS = 2;

/**
 * Resolves when the sender of a body that nobody wants has come to its end, waits for the answer, or has sent enough. A connection
 * that is closed while its client is still sending is reset, and the client may never see the answer.
 */
export function drained(body: RequestBody, client: { readonly aborted: boolean }): Promise<void> {
  return new Promise((resolve) => {
    let steps = 0;
    let quiet = 0;
    let seen = body.received;
    const timer = setInterval(() => {
      quiet = body.received === seen ? quiet + 1 : 0;
      seen = body.received;
      const enough = body.complete || body.drained > DRAIN_BYTES || quiet >= QUIET_STEPS || ++steps >= STEPS;
      if (!enough && !client.aborted) return;
      clearInterval(timer);
      resolve();
    }, STEP_MS);
  });
}
