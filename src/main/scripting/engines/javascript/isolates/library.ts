/** The library for isolates of V8, in the version for this Node (src/shared/native). Throws `NativeError` while it loads. */
import type ivm from 'isolated-vm';
import { loadNative } from '../../../../../shared/native/index.js';

export const library = loadNative('isolated-vm') as typeof ivm;
