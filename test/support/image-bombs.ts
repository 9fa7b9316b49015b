/** Images that are made to do harm, and images that were damaged on their way. */
import { deflateSync } from 'node:zlib';
import { pngOf } from '../../src/workers/documents/png.js';
import { Random } from '../fuzz/random.js';

/** A PNG of so many pixels in black and white: a few hundred KB that unpack to hundreds of MB, or to gigabytes with colours. */
export function hugePng(side: number): Buffer {
  return pngOf(side, side, deflateSync(Buffer.alloc((1 + Math.ceil(side / 8)) * side), { level: 1 }));
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
  const random = new Random(seed);
  const place = (length: number): number => random.below(length);
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
