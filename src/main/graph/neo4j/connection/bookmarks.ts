/** Bookmarks of Neo4j: text that names a state of a database by the last transaction that was committed. */

const PREFIX = 'FB:';
/** One entry (packstream): a list of one, and the 16 bytes that name the database; the number follows. */
const HEAD = [0x91, 0xcc, 0x10] as const;
/** Bytes of a name of a database. */
export const DATABASE_BYTES = 16;
const NUMBER_AT = HEAD.length + DATABASE_BYTES;
const LONG_NUMBER = 0xcb;
/** An empty list, behind the number. */
const TAIL = 0x90;

/** The number of the transaction that a bookmark names; undefined: it has another form, of a later version perhaps. */
export function transactionOf(bookmark: string | undefined): number | undefined {
  if (bookmark?.startsWith(PREFIX) !== true) return undefined;
  const bytes = Buffer.from(bookmark.slice(PREFIX.length), 'base64');
  if (bytes.length <= NUMBER_AT || HEAD.some((byte, i) => bytes[i] !== byte)) return undefined;
  const number = numberAt(bytes, NUMBER_AT);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** Bytes of a number that begins with this one. */
function sizeOfNumber(first: number): number {
  return 1 + ({ 0xc8: 1, 0xc9: 2, 0xca: 4, [LONG_NUMBER]: 8 }[first] ?? 0);
}

function numberAt(bytes: Buffer, at: number): number | undefined {
  const first = bytes[at] ?? 0xff;
  if (first < 0x80) return first;
  const size = sizeOfNumber(first) - 1;
  if (size === 0 || bytes.length < at + 1 + size) return undefined;
  return size === 8 ? Number(bytes.readBigInt64BE(at + 1)) : bytes.readIntBE(at + 1, size);
}

/** The database and the number of a bookmark that says nothing else; undefined: it has another form. */
export function partsOf(bookmark: string): { readonly database: Uint8Array; readonly transaction: number } | undefined {
  const transaction = transactionOf(bookmark);
  if (transaction === undefined) return undefined;
  const bytes = Buffer.from(bookmark.slice(PREFIX.length), 'base64');
  const isAll = bytes.at(-1) === TAIL && bytes.length === NUMBER_AT + sizeOfNumber(bytes[NUMBER_AT] ?? 0) + 1;
  return isAll ? { database: bytes.subarray(HEAD.length, NUMBER_AT), transaction } : undefined;
}

/** The bookmark of a transaction of this database. */
export function bookmarkOf(database: Uint8Array, transaction: bigint): string {
  const bytes = Buffer.alloc(NUMBER_AT + 1 + 8 + 1, TAIL);
  bytes.set(HEAD);
  bytes.set(database, HEAD.length);
  bytes[NUMBER_AT] = LONG_NUMBER;
  bytes.writeBigInt64BE(transaction, NUMBER_AT + 1);
  return PREFIX + bytes.toString('base64');
}
