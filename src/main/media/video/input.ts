/**
 * A video as input of a program: its container is told by its first bytes, and no other is read. Containers that are lists of other files (HLS, DASH,
 * `concat`, ...) are none of them, and no protocol but that of files is open: whatever is in a video, nothing else is read
 * (docs/design/media.md, Videos).
 */
import { open } from 'node:fs/promises';
import { MediaError } from '../errors.js';

const HEAD = 1024;
const TS_PACKET = 188;
const SYNC = 0x47;

/** Containers: the demuxer's name, and how their files begin. */
const CONTAINERS: readonly (readonly [demuxer: string, is: (head: Buffer) => boolean])[] = [
  ['matroska', (head) => head.readUInt32BE(0) === 0x1a45dfa3],
  ['mov', (head) => /^(?:ftyp|moov|mdat|wide|free|skip|pnot)$/.test(text(head, 4, 4))],
  ['avi', (head) => text(head, 0, 4) === 'RIFF' && text(head, 8, 4) === 'AVI '],
  ['flv', (head) => text(head, 0, 4) === 'FLV\x01'],
  ['ogg', (head) => text(head, 0, 4) === 'OggS'],
  ['asf', (head) => head.readUInt32BE(0) === 0x3026b275],
  ['mpeg', (head) => head.readUInt32BE(0) === 0x1ba],
  ['mpegvideo', (head) => head.readUInt32BE(0) === 0x1b3],
  ['mxf', (head) => head.readUInt32BE(0) === 0x060e2b34],
  ['ivf', (head) => text(head, 0, 4) === 'DKIF'],
  ['mpegts', (head) => head[0] === SYNC && head[TS_PACKET] === SYNC && head[2 * TS_PACKET] === SYNC],
];
/** As in `format_whitelist`, where some demuxers have several names. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['matroska', 'matroska,webm'],
  ['mov', 'mov,mp4,m4a,3gp,3g2,mj2'],
]);

function text(head: Buffer, from: number, length: number): string {
  return head.toString('latin1', from, from + length);
}

/** The demuxer for content that begins so; undefined: it is no video that is read. */
export function demuxerOf(head: Buffer): string | undefined {
  if (head.length < 12) return undefined;
  return CONTAINERS.find(([, is]) => is(head))?.[0];
}

/** Options of an input, in front of `-i`, and its name. */
export interface VideoInput {
  readonly options: readonly string[];
  readonly name: string;
}

/**
 * The file at a path as input. `pixels`: most of a picture. Throws `MediaError` 422 for what is no video.
 */
export async function videoInput(path: string, pixels: number): Promise<VideoInput> {
  const demuxer = demuxerOf(await headOf(path));
  if (demuxer === undefined) throw new MediaError(422, 'The content is no video of a kind that is read.');
  const options = ['-protocol_whitelist', 'file', '-format_whitelist', NAMES.get(demuxer) ?? demuxer, '-f', demuxer];
  return { options: [...options, '-max_pixels', String(pixels)], name: `file:${path}` };
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(HEAD);
    const { bytesRead } = await file.read(head, 0, HEAD, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
