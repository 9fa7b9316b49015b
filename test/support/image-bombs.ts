/** Images that are made to do harm, and images that were damaged on their way. */
import { crc32, deflateSync } from 'node:zlib';
import { randomFrom } from './random-bytes.js';

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const made = Buffer.alloc(body.length + 8);
  made.writeUInt32BE(data.length, 0);
  body.copy(made, 4);
  made.writeUInt32BE(crc32(body), body.length + 4);
  return made;
}

/** A PNG of so many pixels in black and white: a few hundred KB that unpack to hundreds of MB, or to gigabytes with colours. */
export function hugePng(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(1, 8);
  const packed = deflateSync(Buffer.alloc((1 + Math.ceil(side / 8)) * side), { level: 1 });
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))]);
}

/** A GIF of so many frames of one pixel. */
export function longGif(frames: number): Buffer {
  const head = Buffer.from('47494638396101000100800000000000ffffff', 'hex');
  const loop = Buffer.from('21ff0b4e45545343415045322e300301000000', 'hex');
  const frame = Buffer.from('21f9040401000000' + '2c00000000010001000002024401' + '00', 'hex');
  return Buffer.concat([head, loop, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])]);
}

/** Damages of one kind or another: cut off, bits turned, bytes that were lost or came twice. `seed`: the same again. */
export function damaged(image: Buffer, count: number, seed: number): Buffer[] {
  const random = randomFrom(seed);
  const place = (length: number): number => Math.floor(random() * length);
  return Array.from({ length: count }, (_, i) => {
    if (i % 3 === 0) return image.subarray(0, place(image.length));
    const copy = Buffer.from(image);
    if (i % 3 === 1) {
      for (let bits = 1 + place(8); bits > 0; bits--) {
        const at = place(copy.length);
        copy[at] = (copy[at] ?? 0) ^ (1 << place(8));
      }
      return copy;
    }
    const [from, to] = [place(copy.length), place(copy.length)];
    return Buffer.concat([copy.subarray(0, from), copy.subarray(to)]);
  });
}
