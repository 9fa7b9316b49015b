/** What the address of an image says it should be: `w_300,h_200,c_cover,f_webp,q_80` (docs/interface/media.md 2.4). */
import { MediaError } from '../../errors.js';
import { formatNamed } from '../formats.js';
import type { OutputFormat } from '../../../../workers/media/make-image.js';

const FITS = ['inside', 'cover', 'fill'] as const;

export interface VariantOptions {
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fit: (typeof FITS)[number];
  /** `auto`: what the client takes; undefined: that of the image. */
  readonly format: OutputFormat | 'auto' | undefined;
  readonly quality: number | undefined;
  /** May become larger than it is. */
  readonly enlarge: boolean;
  /** Stays still although its original moves. */
  readonly still: boolean;
}

/** In the order in which they are written. */
const NAMES: Readonly<Record<string, keyof VariantOptions>> = {
  w: 'width',
  h: 'height',
  c: 'fit',
  f: 'format',
  q: 'quality',
  e: 'enlarge',
  s: 'still',
};

/** Names and values as scripts and methods give them, checked. Throws `MediaError` 400. `largest`: pixels of a side. */
export function optionsIn(given: ReadonlyMap<string, unknown>, largest: number): VariantOptions {
  const known = new Set<string>(Object.values(NAMES));
  for (const name of given.keys())
    if (!known.has(name)) throw new MediaError(400, `${name.slice(0, 50)} is no option of images.`);
  const number = (name: string, most: number): number | undefined => {
    const value = given.get(name) ?? undefined;
    if (value === undefined) return undefined;
    const whole = typeof value === 'bigint' ? Number(value) : value;
    if (typeof whole === 'number' && Number.isInteger(whole) && whole >= 1 && whole <= most) return whole;
    throw new MediaError(400, `The ${name} of an image is a whole number from 1 to ${String(most)}.`);
  };
  const flag = (name: string): boolean => {
    const value = given.get(name) ?? false;
    if (typeof value === 'boolean') return value;
    throw new MediaError(400, `${name} is true or false.`);
  };
  const fit = given.get('fit') ?? 'inside';
  if (!FITS.some((one) => one === fit)) throw new MediaError(400, 'An image may have the fit inside, cover or fill.');
  const format = given.get('format') ?? undefined;
  if (format !== undefined && typeof format !== 'string')
    throw new MediaError(400, 'The format of an image is a text.');
  const options: VariantOptions = {
    width: number('width', largest),
    height: number('height', largest),
    fit: fit as VariantOptions['fit'],
    format: format === undefined || format === 'auto' ? format : formatNamed(format),
    quality: number('quality', 100),
    enlarge: flag('enlarge'),
    still: flag('still'),
  };
  if (options.fit !== 'inside' && (options.width === undefined || options.height === undefined))
    throw new MediaError(400, `An image with the fit ${options.fit} needs width and height.`);
  return options;
}

/** As they stand in an address. */
export function optionsText(options: VariantOptions): string {
  const parts: string[] = [];
  for (const [short, name] of Object.entries(NAMES)) {
    const value = options[name];
    if (value === undefined || value === false || value === 'inside') continue;
    parts.push(`${short}_${value === true ? '1' : String(value)}`);
  }
  // An address has something at this place.
  return parts.length === 0 ? 'original' : parts.join(',');
}

/** Throws `MediaError` 400. */
export function parseOptions(text: string, largest: number): VariantOptions {
  const given = new Map<string, unknown>();
  for (const part of text === 'original' ? [] : text.split(',')) {
    const [, short = '', value = ''] = /^([a-z])_([a-z0-9]{1,10})$/.exec(part) ?? [];
    const name = Object.hasOwn(NAMES, short) ? NAMES[short] : undefined;
    if (name === undefined) throw new MediaError(400, 'The options in the address of an image cannot be read.');
    given.set(
      name,
      name === 'enlarge' || name === 'still' ? value === '1' : /^\d+$/.test(value) ? Number(value) : value,
    );
  }
  return optionsIn(given, largest);
}
