import { loadUws } from '../../src/main/http/uws/uws.js';
import { NativeError } from '../../src/shared/native/index.js';

/** Whether the binary of uWebSockets.js loads here; where it does not, tests of that transport are skipped. */
export function hasUws(): boolean {
  try {
    // The first to load it decides the largest head of this process: what the tests' servers have.
    loadUws(16 * 1024);
    return true;
  } catch (error) {
    if (error instanceof NativeError) return false;
    throw error;
  }
}
