/** Makes ZIP archives of any kind, good and bad ones, for tests. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly name: string;
  readonly content?: Buffer;
  readonly stored?: boolean;
  /** What the directory says instead of the truth. */
  readonly claim?: { readonly size?: number; readonly crc32?: number; readonly offset?: number };
  /** Unix mode. */
  readonly mode?: number;
}

export function zipOf(parts: readonly ZipPart[]): Buffer {
  const out: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content = Buffer.alloc(0), stored = false, claim = {}, mode = 0o100644 } of parts) {
    const packed = stored ? content : deflateRawSync(content);
    const file = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(stored ? 0 : 8, 4);
    common.writeUInt16LE(0x6000, 6);
    common.writeUInt16LE(0x5a21, 8);
    common.writeUInt32LE(claim.crc32 ?? crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claim.size ?? content.length, 18);
    common.writeUInt16LE(file.length, 22);
    out.push(Buffer.from('PK\x03\x04'), common, file, packed);
    const entry = Buffer.alloc(46);
    entry.write('PK\x01\x02');
    entry.writeUInt16LE((3 << 8) | 20, 4);
    common.copy(entry, 6, 0, 24);
    entry.writeUInt32LE((mode << 16) >>> 0, 38);
    entry.writeUInt32LE(claim.offset ?? at, 42);
    directory.push(entry, file);
    at += 30 + file.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...out, ...directory, end]);
}
