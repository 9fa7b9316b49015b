/** Reads the values of a coverage, a GeoTIFF, on a thread of its own (`scripting/functions/geo/geo-coverages.ts`). */
import { inflateSync } from 'node:zlib';
import { decode, type TiffIfd } from 'tiff';
import { outcomeOf, type Outcome } from '../outcome.js';

/** Values of a coverage, of all bands; compressed, they may be many more than its bytes. */
const MOST_VALUES = 8_000_000;
/** Bytes of all its parts: those at the edges reach beyond it. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Tags of GeoTIFF (OGC 19-008r4, annex B) and of GDAL. */
const PIXEL_SCALE = 33550;
const TIE_POINT = 33922;
const NO_DATA = 42113;
const KEYS = 34735;
/** Key of GeoTIFF and its value: positions are those of the centres of cells, not of their corners. */
const RASTER_TYPE = 1025;
const IS_POINT = 2;
/** Compressions of TIFF. */
const NONE = 1;
const DEFLATE: ReadonlySet<number> = new Set([8, 32946]);
const SIGNED = 2;
const FLOATS = 3;
/** Photometric interpretations whose first band is what it says: greys from black on, and colours. */
const PLAIN: ReadonlySet<number> = new Set([1, 2]);
const CONTIGUOUS = 1;
const NO_PREDICTOR = 1;
/** Tags that lead to further directories: of cameras. */
const DIRECTORIES: ReadonlySet<number> = new Set([0x8769, 0x8825]);
/** Values of all tags together: most of them are the places of parts. */
const MOST_IN_TAGS = 2_000_000;

export interface CoverageJob {
  readonly tiff: Uint8Array;
  /** Cells whose centres are outside of it, by more than half a cell, do not count: services may answer more. */
  readonly box: readonly [west: number, south: number, east: number, north: number];
  readonly wanted:
    | { readonly kind: 'cells'; readonly least: number; readonly greatest: number; readonly most: number }
    | { readonly kind: 'histogram'; readonly bins: number; readonly low: number | undefined };
}

/** Three numbers each: of cells the position of the centre (longitude or easting first) and the value; of bins from, to and count. */
export type CoverageNumbers = Float64Array;

/** Values of the first band, with the position of each. */
interface Grid {
  readonly values: Float64Array;
  /** Whether it is in the box, and says something. */
  readonly counts: (index: number) => boolean;
  readonly positionOf: (index: number) => readonly [x: number, y: number];
}

export default function read({ tiff, box, wanted }: CoverageJob): Promise<Outcome<CoverageNumbers>> {
  return outcomeOf(() => {
    const grid = gridIn(tiff, box);
    if (wanted.kind === 'cells') return cellsOf(grid, wanted.least, wanted.greatest, wanted.most);
    return histogramOf(grid, wanted.bins, wanted.low);
  });
}

function gridIn(tiff: Uint8Array, [west, south, east, north]: CoverageJob['box']): Grid {
  checkDirectory(tiff);
  const [image] = decode(tiff, { pages: [0], ignoreImageData: true });
  if (image === undefined) throw new Error('it holds no image');
  checkForm(image);
  checkParts(image, tiff);
  const { width, samplesPerPixel: samples } = image;
  const positionOf = positionsIn(image);
  const [read] = decode(tiff, { pages: [0] });
  const { data } = read ?? image;
  // The library reads all integers as if they had no sign.
  const half = image.sampleFormat === SIGNED ? 2 ** (image.bitsPerSample - 1) : Infinity;
  const values = new Float64Array(width * image.height);
  for (let i = 0; i < values.length; i++) {
    const value = data[i * samples] ?? NaN;
    values[i] = value < half ? value : value - 2 * half;
  }
  // A decimal number: in a file of short floats the nearest of these stands for it.
  const nothing = Number.parseFloat(String(image.fields.get(NO_DATA)));
  const nearest = Math.fround(nothing);
  const [stepX = 0, stepY = 0] = numbersIn(image, PIXEL_SCALE).map((step) => step / 2);
  return {
    values,
    counts: (index) => {
      const value = values[index] ?? NaN;
      if (!Number.isFinite(value) || value === nothing || value === nearest) return false;
      const [x, y] = positionOf(index);
      return x >= west - stepX && x <= east + stepX && y >= south - stepY && y <= north + stepY;
    },
    positionOf,
  };
}

/** Throws for forms that the library does not read, or reads as something else. */
function checkForm(image: TiffIfd): void {
  const { width, height, samplesPerPixel: samples, bitsPerSample: bits, sampleFormat: format, predictor } = image;
  if (!(width > 0 && height > 0 && samples > 0 && width * height * samples <= MOST_VALUES)) {
    throw new Error(`it has no values, or more than ${String(MOST_VALUES)} of them`);
  }
  if (format === FLOATS ? bits !== 32 && bits !== 64 : bits !== 8 && bits !== 16) {
    throw new Error(`values of ${String(bits)} bits are read as floats (32, 64) or as integers (8, 16)`);
  }
  const isOneInOne = samples === 1 || (!image.tiled && (image.planarConfiguration ?? CONTIGUOUS) === CONTIGUOUS);
  const isPlain = PLAIN.has(image.type) && !image.alpha && (predictor ?? NO_PREDICTOR) === NO_PREDICTOR;
  if (!isOneInOne || !isPlain)
    throw new Error('this form of TIFF is not read: ask the service for a plain one with one band');
}

/** Where the centres of cells are. */
function positionsIn(image: TiffIfd): Grid['positionOf'] {
  const { width } = image;
  const [stepX = NaN, stepY = NaN] = numbersIn(image, PIXEL_SCALE);
  const [column = NaN, row = NaN, , x = NaN, y = NaN] = numbersIn(image, TIE_POINT);
  if (![stepX, stepY, column, row, x, y].every(Number.isFinite)) throw new Error('it does not say where its cells are');
  const keys = numbersIn(image, KEYS);
  let toCentre = 0.5;
  // Four numbers each: a key, where its value is, how many there are, and the value.
  for (let i = 4; i < keys.length; i += 4) if (keys[i] === RASTER_TYPE && keys[i + 3] === IS_POINT) toCentre = 0;
  return (index) => [
    x + ((index % width) + toCentre - column) * stepX,
    y - (Math.floor(index / width) + toCentre - row) * stepY,
  ];
}

function numbersIn({ fields }: TiffIfd, tag: number): readonly number[] {
  return numbers(fields.get(tag));
}

/** Values of a tag, which the library answers as a number, a list, or an array of numbers; texts are none. */
function numbers(values: unknown): readonly number[] {
  if (typeof values === 'number') return [values];
  const list =
    Array.isArray(values) || ArrayBuffer.isView(values) ? Array.from(values as unknown as ArrayLike<unknown>) : [];
  return list.every((one) => typeof one === 'number') ? list : [];
}

/** Throws where reading the tags alone would take more memory than a coverage has need of: the library reads all of them. */
function checkDirectory(tiff: Uint8Array): void {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length);
  const isLittle = tiff[0] === 0x49;
  const at = view.getUint32(4, isLittle);
  let values = 0;
  for (let i = view.getUint16(at, isLittle); i-- > 0;) {
    const entry = at + 2 + 12 * i;
    if (DIRECTORIES.has(view.getUint16(entry, isLittle))) throw new Error('it holds other directories');
    values += view.getUint32(entry + 4, isLittle);
  }
  if (values > MOST_IN_TAGS) throw new Error('its tags have too many values');
}

/** Throws where a part of the image lies outside of the file, or would unpack to more than its cells take. */
function checkParts(image: TiffIfd, tiff: Uint8Array): void {
  const { compression, width, height, bitsPerSample, samplesPerPixel, tiled } = image;
  const isPacked = DEFLATE.has(compression);
  if (!isPacked && compression !== NONE) throw new Error(`its compression (${String(compression)}) is not read`);
  const [offsets = [], counts = []]: (readonly number[])[] = (
    tiled ? [image.tileOffsets, image.tileByteCounts] : [image.stripOffsets, image.stripByteCounts]
  ).map(numbers);
  const [across = 0, down = 0] = tiled
    ? [image.tileWidth, image.tileHeight]
    : [width, Math.min(height, image.rowsPerStrip)];
  const size = (across * down * samplesPerPixel * bitsPerSample) / 8;
  const parts = Math.ceil(width / across) * Math.ceil(height / down);
  if (!(size > 0 && parts * size <= MOST_BYTES && offsets.length === parts && counts.length === parts)) {
    throw new Error('its parts are too large, or not those that it needs');
  }
  for (const [i, offset] of offsets.entries()) {
    const end = offset + (counts[i] ?? NaN);
    if (!(offset >= 0 && end <= tiff.length)) throw new Error('it is incomplete');
    // A small file could hold gigabytes; the library would find out too late.
    if (isPacked) inflateSync(tiff.subarray(offset, end), { maxOutputLength: size });
  }
}

function cellsOf({ values, counts, positionOf }: Grid, least: number, greatest: number, most: number): Float64Array {
  const found: number[] = [];
  for (const [i, value] of values.entries()) {
    if (value < least || value > greatest || !counts(i)) continue;
    if (found.length >= 3 * most) {
      throw new Error(`more than ${String(most)} cells have such values; a smaller box has fewer`);
    }
    found.push(...positionOf(i), value);
  }
  return Float64Array.from(found);
}

function histogramOf({ values, counts }: Grid, bins: number, low: number | undefined): Float64Array {
  let [from, to] = [Infinity, -Infinity];
  for (const [i, value] of values.entries()) {
    if ((low !== undefined && value < low) || !counts(i)) continue;
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  if (from > to) return new Float64Array();
  from = low ?? from;
  const count = from === to ? 1 : bins;
  const width = (to - from) / count;
  const found = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    found[3 * i] = from + i * width;
    found[3 * i + 1] = i === count - 1 ? to : from + (i + 1) * width;
  }
  for (const [i, value] of values.entries()) {
    if (value < from || !counts(i)) continue;
    // The greatest value is in the last bin.
    const at = 3 * Math.min(count - 1, width === 0 ? 0 : Math.floor((value - from) / width)) + 2;
    found[at] = (found[at] ?? 0) + 1;
  }
  return found;
}
