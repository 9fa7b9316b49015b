/** EXIF of images as texts: names and values as people read them (docs/interface/media.md 2.1). */
import readExif from 'exif-reader';

/** Properties of images that hold it: JSON texts, an object each. */
export interface ExifTexts {
  exifIFD0Data?: string;
  exifSubIFDData?: string;
  gpsData?: string;
}

/** Tags of one directory, and characters of one value: files may claim anything. */
const MOST_TAGS = 200;
const LONGEST = 1000;

/** Where a directory leads to, and what its maker alone can read. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'ExifTag',
  'GPSTag',
  'InteroperabilityTag',
  'MakerNote',
  'PrintImageMatching',
]);

/** Names that are not just words put together. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['DateTime', 'Date/Time'],
  ['DateTimeOriginal', 'Date/Time Original'],
  ['DateTimeDigitized', 'Date/Time Digitized'],
  ['FNumber', 'F-Number'],
  ['GPSTimeStamp', 'GPS Time-Stamp'],
  ['YCbCrCoefficients', 'YCbCr Coefficients'],
  ['YCbCrPositioning', 'YCbCr Positioning'],
  ['YCbCrSubSampling', 'YCbCr Sub Sampling'],
]);

const ORIENTATIONS: readonly string[] = [
  'Top, left side (Horizontal / normal)',
  'Top, right side (Mirror horizontal)',
  'Bottom, right side (Rotate 180)',
  'Bottom, left side (Mirror vertical)',
  'Left side, top (Mirror horizontal and rotate 270 CW)',
  'Right side, top (Rotate 90 CW)',
  'Right side, bottom (Mirror horizontal and rotate 90 CW)',
  'Left side, bottom (Rotate 270 CW)',
];
const UNITS: ReadonlyMap<unknown, string> = new Map([
  [1, '(No unit)'],
  [2, 'Inch'],
  [3, 'cm'],
]);
const METERING: readonly string[] = [
  'Unknown',
  'Average',
  'Center weighted average',
  'Spot',
  'Multi-spot',
  'Multi-segment',
  'Partial',
];
const PROGRAMS: readonly string[] = [
  'Unknown',
  'Manual control',
  'Program normal',
  'Aperture priority',
  'Shutter priority',
  'Program creative (slow program)',
  'Program action (high-speed program)',
  'Portrait mode',
  'Landscape mode',
];

type Directory = Readonly<Record<string, unknown>>;
type Describe = (value: unknown, directory: Directory) => string | undefined;

const among =
  (list: readonly string[], first = 0): Describe =>
  (value) =>
    typeof value === 'number' ? list[value - first] : undefined;
const withUnit =
  (unit: string): Describe =>
  (value) =>
    typeof value === 'number' ? `${short(value)} ${unit}` : undefined;

const resolution: Describe = (value, { ResolutionUnit: unit }) =>
  typeof value === 'number' ? `${short(value)} dots per ${unit === 3 ? 'cm' : 'inch'}` : undefined;

/** Degrees, minutes and seconds; south and west are negative. */
const position =
  (reference: string, negative: string): Describe =>
  (value, directory) => {
    if (!Array.isArray(value) || value.length < 3 || !value.every((one) => typeof one === 'number')) return undefined;
    const sum = value.slice(0, 3).reduce((total, one, i) => total + one / 60 ** i, 0);
    if (!Number.isFinite(sum)) return undefined;
    const whole = Math.floor(sum);
    const minutes = (sum - whole) * 60;
    const sign = String(directory[reference]).startsWith(negative) ? '-' : '';
    return `${sign}${String(whole)}° ${String(Math.floor(minutes))}' ${short((minutes % 1) * 60)}"`;
  };

const exposure: Describe = (value) => {
  if (typeof value !== 'number' || !(value > 0)) return undefined;
  return value < 1 ? `1/${String(Math.round(1 / value))} sec` : `${short(value)} sec`;
};

const VALUES: ReadonlyMap<string, Describe> = new Map<string, Describe>([
  ['Orientation', among(ORIENTATIONS, 1)],
  ['XResolution', resolution],
  ['YResolution', resolution],
  ['ResolutionUnit', (value) => UNITS.get(value)],
  ['FocalPlaneResolutionUnit', (value) => UNITS.get(value)],
  ['ExposureTime', exposure],
  ['FNumber', (value) => (typeof value === 'number' ? `f/${short(value)}` : undefined)],
  ['FocalLength', withUnit('mm')],
  ['FocalLengthIn35mmFilm', withUnit('mm')],
  ['SubjectDistance', withUnit('metres')],
  ['ExposureBiasValue', withUnit('EV')],
  ['MeteringMode', among(METERING)],
  ['ExposureProgram', among(PROGRAMS)],
  [
    'Flash',
    (value) => (typeof value === 'number' ? (value % 2 === 1 ? 'Flash fired' : 'Flash did not fire') : undefined),
  ],
  ['PixelXDimension', withUnit('pixels')],
  ['PixelYDimension', withUnit('pixels')],
  ['GPSLatitude', position('GPSLatitudeRef', 'S')],
  ['GPSLongitude', position('GPSLongitudeRef', 'W')],
  ['GPSDestLatitude', position('GPSDestLatitudeRef', 'S')],
  ['GPSDestLongitude', position('GPSDestLongitudeRef', 'W')],
  ['GPSAltitude', withUnit('metres')],
  ['GPSAltitudeRef', (value) => (Number(byteOf(value)) === 1 ? 'Below sea level' : 'Sea level')],
  [
    'GPSTimeStamp',
    (value) =>
      Array.isArray(value)
        ? `${value.map((one) => String(Math.floor(Number(one))).padStart(2, '0')).join(':')} UTC`
        : undefined,
  ],
]);

/** What the EXIF block of an image says; nothing of one that cannot be read. */
export function exifTexts(block: Buffer | undefined): ExifTexts {
  if (block === undefined) return {};
  let read: ReturnType<typeof readExif>;
  try {
    read = readExif(block);
  } catch {
    return {};
  }
  const texts: ExifTexts = {};
  const add = (key: keyof ExifTexts, directory: unknown): void => {
    const text = textOf(directory as Directory | undefined);
    if (text !== undefined) texts[key] = text;
  };
  add('exifIFD0Data', read.Image);
  add('exifSubIFDData', read.Photo);
  add('gpsData', read.GPSInfo);
  return texts;
}

function textOf(directory: Directory | undefined): string | undefined {
  if (directory === undefined) return undefined;
  const shown: Record<string, string> = {};
  for (const [tag, value] of Object.entries(directory).slice(0, MOST_TAGS)) {
    if (LEFT_OUT.has(tag) || /^\d+$/.test(tag)) continue;
    const text = VALUES.get(tag)?.(value, directory) ?? plain(value);
    if (text !== undefined) shown[nameOf(tag)] = text.slice(0, LONGEST).toWellFormed();
  }
  return Object.keys(shown).length === 0 ? undefined : JSON.stringify(shown);
}

/** `XResolution` becomes `X Resolution`, `GPSLatitudeRef` `GPS Latitude Ref`. */
function nameOf(tag: string): string {
  return NAMES.get(tag) ?? tag.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
}

function plain(value: unknown): string | undefined {
  if (typeof value === 'string') return value.replace(/\0+$/, '').trim();
  if (typeof value === 'number') return short(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : dateText(value);
  if (value instanceof Uint8Array) return bytesText(Buffer.from(value));
  if (Array.isArray(value)) return value.map((one: unknown) => plain(one) ?? '').join(' ');
  return undefined;
}

/** As EXIF writes it: without a time zone. */
function dateText(date: Date): string {
  return date
    .toISOString()
    .slice(0, 19)
    .replace('T', ' ')
    .replace(/^(\d+)-(\d+)-/, '$1:$2:');
}

/** Bytes are shown as the text that they are, else by how many there are. */
function bytesText(bytes: Buffer): string {
  const text = bytes
    .toString('utf8')
    .replace(/^(?:ASCII|UNICODE)\0{1,3}/, '')
    .replace(/\0+$/, '')
    .trim();
  return /[\p{Cc}\ufffd]/u.test(text) ? `[${String(bytes.length)} values]` : text;
}

function byteOf(value: unknown): unknown {
  return value instanceof Uint8Array ? value[0] : value;
}

/** Without the digits that fractions bring along. */
function short(value: number): string {
  return String(Number(value.toFixed(6)));
}
