/** The texts of a property of all nodes of a type, packed one after the other, so that a part of one is found by looking through memory (indexes/packed-texts.ts). */
import { fold } from '../../main/graph/sqlite/connection/functions.js';
import { threadCheck, threadConnection } from '../../main/graph/sqlite/reading/thread-connection.js';

export interface PackJob {
  readonly file: string;
  readonly cacheMegabytes: number;
  /** Ids of the names. */
  readonly type: number;
  readonly key: number;
  /** Bytes; with more nothing is packed. */
  readonly most: number;
}

export interface Packed {
  /** Folded, in UTF-8, each behind a byte that no text has. */
  readonly bytes: Uint8Array;
  /** Where each begins. */
  readonly starts: Uint32Array;
  /** Keys of the nodes, in the same order. */
  readonly keys: Float64Array;
}

/** A byte that is in no text. */
const BETWEEN = 0xff;
const SELECT = `SELECT node,value FROM prop_index WHERE type=? AND key=? AND typeof(value)='text'`;
const COUNT = `SELECT count(*),coalesce(sum(octet_length(value)),0) FROM prop_index WHERE type=? AND key=? AND typeof(value)='text'`;

/** Undefined: they are too large. */
export default function pack({ file, cacheMegabytes, type, key, most }: PackJob): Packed | undefined {
  threadCheck(() => undefined);
  const connection = threadConnection(file, cacheMegabytes);
  // Both statements see one state.
  connection.run('BEGIN', []);
  try {
    const [count = 0, length = 0] = (connection.get(COUNT, [type, key]) ?? []).map(Number);
    if (length + count * 13 > most) return undefined;
    const starts = new Uint32Array(count);
    const keys = new Float64Array(count);
    let bytes = Buffer.allocUnsafeSlow(length + count);
    let at = 0;
    let i = 0;
    for (const [node, value] of connection.statement(SELECT).iterate(type, key)) {
      const text = fold(String(value));
      const size = Buffer.byteLength(text);
      // What is folded may be longer.
      if (at + size + 1 > bytes.length) bytes = Buffer.concat([bytes], Math.ceil((at + size + 1) * 1.2));
      bytes[at++] = BETWEEN;
      starts[i] = at;
      keys[i++] = Number(node);
      at += bytes.write(text, at);
    }
    return { bytes: bytes.subarray(0, at), starts, keys };
  } finally {
    connection.run('COMMIT', []);
  }
}
