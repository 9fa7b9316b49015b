/** Which library speaks HTTP: the one of the setting, or the one that loads (`application.http.transport`). */
import { NativeError } from '../../../shared/native/index.js';
import type { TransportName } from '../server.js';
import { loadUws } from '../uws/uws.js';

/** `auto`: `uws` where its binary loads, else `node`. */
export type TransportSetting = TransportName | 'auto';

export interface ChosenTransport {
  readonly transport: TransportName;
  /** Why it is not `uws`, with `auto`: one line. */
  readonly instead?: string;
}

/** Releases of Node whose servers can share a port: of 22 from this one on, and all newer ones. */
const SHARING_22 = 12;

/**
 * Why the threads of this process cannot listen on one port with this transport, as one line; undefined when they can. `node`: the version of
 * Node.
 */
export function sharingProblem(transport: TransportName, node = process.versions.node): string | undefined {
  if (transport === 'uws') return undefined;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major > 23 || (major === 23 && minor > 0) || (major === 22 && minor >= SHARING_22)) return undefined;
  return `transport node on Node ${node} cannot share a port between threads: application.http.threads needs application.http.transport = uws, or Node 22.12 or newer`;
}

/** The transport that is asked for does not load. The message says which and why. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
}

/**
 * The transport to start with. `maxHeaderSize`: largest request head in bytes, which uWebSockets.js takes while it is loaded. Throws
 * `TransportError` when `uws` is asked for and does not load.
 */
export function chooseTransport(
  setting: TransportSetting,
  maxHeaderSize: number,
  load: (maxHeaderSize: number) => unknown = loadUws,
): ChosenTransport {
  if (setting === 'node') return { transport: 'node' };
  try {
    load(maxHeaderSize);
    return { transport: 'uws' };
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    if (setting === 'auto') return { transport: 'node', instead: error.message };
    throw new TransportError(`application.http.transport = uws cannot be kept: ${error.message}`, { cause: error });
  }
}
