/** Draws bar codes on a thread of its own (`scripting/functions/formats/barcode.ts`): black on white, in whole pixels. */
import { deflateSync } from 'node:zlib';
import bwip from 'bwip-js/node';
import { outcomeOf, type Outcome } from '../outcome.js';
import { pngOf } from './png.js';

export interface BarcodeJob {
  /** Its name in BWIPP. */
  readonly symbology: string;
  readonly text: string;
  /** Pixels; a code that needs more gets more. */
  readonly width: number;
  readonly height: number;
  /** Modules that stay white around it; undefined: as usual. */
  readonly margin: number | undefined;
  /** As BWIPP calls it; undefined: as usual. */
  readonly errorCorrection: string | undefined;
}

/** Modules that are black. */
interface Modules {
  readonly columns: number;
  /** Of bars there is one row, as high as the picture. */
  readonly rows: number;
  readonly margin: number;
  isBlack(column: number, row: number): boolean;
}

const MARGIN_OF_BARS = 10;
const MARGIN_OF_SQUARES = 4;
const LARGEST = 4000;

export default function draw(job: BarcodeJob): Promise<Outcome<Uint8Array>> {
  return outcomeOf(() => {
    const modules = modulesOf(job);
    const { columns, rows, margin } = modules;
    const wide = columns + 2 * margin;
    const isBars = rows === 1;
    const high = isBars ? 1 : rows + 2 * margin;
    const scale = Math.max(1, Math.floor(Math.min(job.width / wide, isBars ? Infinity : job.height / high)));
    const width = Math.max(job.width, wide * scale);
    const height = isBars ? job.height : Math.max(job.height, high * scale);
    if (width > LARGEST || height > LARGEST) throw new Error('the text is too long for a picture');
    const left = Math.floor((width - columns * scale) / 2);
    const top = isBars ? 0 : Math.floor((height - rows * scale) / 2);
    return png(width, height, (x, y) => {
      const column = Math.floor((x - left) / scale);
      const row = isBars ? 0 : Math.floor((y - top) / scale);
      return column >= 0 && column < columns && row >= 0 && row < rows && modules.isBlack(column, row);
    });
  });
}

function modulesOf({ symbology, text, margin, errorCorrection }: BarcodeJob): Modules {
  const options = errorCorrection === undefined ? {} : { eclevel: errorCorrection };
  const [made] = bwip.raw({ bcid: symbology, text, ...options });
  if (made === undefined) throw new Error('there is nothing to draw');
  if ('pixs' in made) {
    const { pixs, pixx, pixy } = made;
    return {
      columns: pixx,
      rows: pixy,
      margin: margin ?? MARGIN_OF_SQUARES,
      isBlack: (column, row) => pixs[row * pixx + column] === 1,
    };
  }
  // Widths of bars and of what is between them, in turn.
  const black = made.sbs.flatMap((width, i) => Array<boolean>(width).fill(i % 2 === 0));
  return {
    columns: black.length,
    rows: 1,
    margin: margin ?? MARGIN_OF_BARS,
    isBlack: (column) => black[column] === true,
  };
}

function png(width: number, height: number, isBlack: (x: number, y: number) => boolean): Uint8Array {
  const line = 1 + Math.ceil(width / 8);
  const pixels = Buffer.alloc(line * height, 0xff);
  for (let y = 0; y < height; y++) {
    // No filter.
    pixels[y * line] = 0;
    for (let x = 0; x < width; x++) {
      if (!isBlack(x, y)) continue;
      const at = y * line + 1 + (x >> 3);
      pixels[at] = (pixels[at] ?? 0) & ~(0x80 >> (x & 7));
    }
  }
  return pngOf(width, height, deflateSync(pixels));
}
