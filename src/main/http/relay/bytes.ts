import type { Packed } from './messages.js';

/** Up to so many bytes cross as a text. */
const AS_TEXT = 4 * 1024;

/** Bytes as they cross. They may be written anew afterwards: larger ones are copied once, into memory that is handed over. */
export function packed(bytes: Uint8Array): Packed {
  if (bytes.length <= AS_TEXT) return view(bytes).toString('latin1');
  // A buffer of the pool has the memory of others around it.
  const own = new Uint8Array(bytes.length);
  own.set(bytes);
  return own;
}

/** The bytes that `packed` was given. */
export function unpacked(bytes: Packed): Buffer {
  return typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : view(bytes);
}

/** Memory that is to be handed over with a message. */
export function memoryOf(bytes: Packed): ArrayBuffer | undefined {
  return typeof bytes === 'string' ? undefined : (bytes.buffer as ArrayBuffer);
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
