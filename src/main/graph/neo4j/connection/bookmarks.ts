/** Bookmarks of Neo4j: text that names a state of a database by the last transaction that was committed. */

const PREFIX = 'FB:';
/** One entry (packstream): a list of one, and the 16 bytes that name the database; the number follows. */
const HEAD = [0x91, 0xcc, 0x10] as const;
const NUMBER_AT = HEAD.length + 16;

/** The number of the transaction that a bookmark names; undefined: it has another form, of a later version perhaps. */
export function transactionOf(bookmark: string | undefined): number | undefined {
  if (bookmark?.startsWith(PREFIX) !== true) return undefined;
  const bytes = Buffer.from(bookmark.slice(PREFIX.length), 'base64');
  if (bytes.length <= NUMBER_AT || HEAD.some((byte, i) => bytes[i] !== byte)) return undefined;
  const number = numberAt(bytes, NUMBER_AT);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function numberAt(bytes: Buffer, at: number): number | undefined {
  const first = bytes[at] ?? 0xff;
  if (first < 0x80) return first;
  const size = { 0xc8: 1, 0xc9: 2, 0xca: 4, 0xcb: 8 }[first];
  if (size === undefined || bytes.length < at + 1 + size) return undefined;
  return size === 8 ? Number(bytes.readBigInt64BE(at + 1)) : bytes.readIntBE(at + 1, size);
}
