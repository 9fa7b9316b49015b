/** Packages with a binary: which one this Node takes, and why one does not load. */
export { installedName, loadNative, nativeError, NativeError, type NativeName } from './packages.js';
