/** Which thumbnail a property shows (docs/interface/media.md 2.2). */
import type { ReadTransaction, GraphNode } from '../../../graph/index.js';
import { THUMBNAIL, typesOf, type Schema } from '../../../schema/index.js';
import { MediaError } from '../../errors.js';

/** A size that is wanted of an image. */
export interface Wish {
  readonly width: number;
  readonly height: number;
  /** Whether it fills the box, and what is too much at two sides is cut off. */
  readonly crop: boolean;
}

/** Longest side of a thumbnail. */
const LARGEST = 4096;

/** The wish of a format, `width, height[, crop]`; undefined for what is none. */
export function wishOf(format = ''): Wish | undefined {
  const match = /^\s*(\d{1,4})\s*,\s*(\d{1,4})\s*(?:,\s*(true|false)\s*)?$/i.exec(format);
  const [width, height] = [Number(match?.[1]), Number(match?.[2])];
  if (!isSide(width) || !isSide(height)) return undefined;
  return { width, height, crop: match?.[3]?.toLowerCase() === 'true' };
}

function isSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels >= 1 && pixels <= LARGEST;
}

/** Throws `MediaError` 422 for a size that no thumbnail has. */
export function checkWish({ width, height }: Wish): void {
  if (isSide(width) && isSide(height)) return;
  throw new MediaError(422, `The sides of a thumbnail are from 1 to ${String(LARGEST)} pixels long.`);
}

export function keyOf({ width, height, crop }: Wish): string {
  return `${String(width)}x${String(height)}${crop ? 'c' : ''}`;
}

/** A thumbnail that is there, and the relationship to it. */
export interface Linked {
  readonly node: GraphNode;
  readonly relationship: { readonly id: string; readonly properties: GraphNode['properties'] };
}

/** Those of an image, whatever content they were made of. */
export async function linkedTo(tx: ReadTransaction, schema: Schema, image: string): Promise<readonly Linked[]> {
  const [links = []] = await tx.links([image], { relType: THUMBNAIL, direction: 'out', ...typesOf(schema, 'Image') });
  return links.filter(({ node }) => node.properties['isThumbnail'] === true);
}

/** The ones of this size. */
export function ofSize(links: readonly Linked[], { width, height, crop }: Wish): readonly Linked[] {
  return links.filter(({ relationship: { properties } }) => {
    const { maxWidth, maxHeight, cropToFit } = properties;
    return maxWidth === width && maxHeight === height && (cropToFit === true) === crop;
  });
}

/** Whether it was made of what the image has now. */
export function isCurrent({ relationship }: Linked, image: GraphNode): boolean {
  const made = relationship.properties['checksum'];
  return made === undefined || made === image.properties['checksum'];
}
