/** What to look at where scripts of older versions encrypt (contract, Startup migration mode; docs/interface/script-runtime.md 8.7). A report alone. */
import type { FoundCall } from './calls.js';

/** Hashes and signatures are what they were. */
export const CRYPT_FUNCTIONS: ReadonlySet<string> = new Set(['encrypt', 'decrypt', 'setEncryptionKey']);

/** What the author of a call should know. */
export function cryptNote({ name, args, doubt }: FoundCall): string {
  const key =
    args !== undefined && args.length > 1
      ? 'its key is an argument'
      : 'its key is that of setEncryptionKey() or of the setting application.encryption.secret, which has to be the same as before';
  const note =
    name === 'encrypt'
      ? `${key}; the result is AES-GCM, another one for the same text each time, which older versions cannot read`
      : name === 'decrypt'
        ? `${key}; texts of older versions (AES-ECB) are read as well`
        : 'the key is that of this instance until it ends: set application.encryption.secret for all of them';
  return `${name}(): ${note}${doubt === undefined ? '' : ` (not certain: ${doubt})`}`;
}
