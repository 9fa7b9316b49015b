import { loadNative, NativeError } from '../../src/shared/native/index.js';

/** Whether the binary of uWebSockets.js loads here; where it does not, tests of that transport are skipped. */
export function hasUws(): boolean {
  try {
    loadNative('uWebSockets.js');
    return true;
  } catch (error) {
    if (error instanceof NativeError) return false;
    throw error;
  }
}
