/** Images in sizes that an address asks for: made once, kept on the disk for a while (docs/interface/media.md 2.4; docs/design/media.md 4). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { placeOfContent } from '../../../files/index.js';
import type { GraphNode } from '../../../graph/index.js';
import { SingleFlight } from '../../../../shared/work/index.js';
import type { ImageOutput, OutputFormat } from '../../../../workers/media/make-image.js';
import type { MediaContext } from '../../context.js';
import { MediaError } from '../../errors.js';
import { CONTENT_TYPES, ownFormat } from '../formats.js';
import { boxOf, makeImages } from '../make.js';
import { DiskCache } from './disk-cache.js';
import { optionsText, type VariantOptions } from './options.js';

const MB = 1024 * 1024;

/** An image as it is asked for, known before it is made. */
export interface Variant {
  readonly file: GraphNode;
  readonly options: VariantOptions & { readonly quality: number };
  readonly format: OutputFormat;
  readonly contentType: string;
  /** Of this content in this form, and of no other. */
  readonly name: string;
  /** Depends on what the client takes. */
  readonly negotiated: boolean;
}

export class Variants {
  readonly #flights = new SingleFlight<Buffer>();
  readonly #cache: DiskCache;
  /** Those that are being sent: however many take one slowly, it is in memory once. */
  readonly #held = new Map<string, WeakRef<Buffer>>();
  readonly #released = new FinalizationRegistry<string>((name) => {
    if (this.#held.get(name)?.deref() === undefined) this.#held.delete(name);
  });

  constructor(private readonly context: MediaContext) {
    const { config } = context;
    const folder = join(config.path('files.path'), '._svc_media', 'images');
    this.#cache = new DiskCache(folder, () => config.get('application.images.cache.size') * MB);
  }

  /** `accept`: the header of the request. */
  variantOf(file: GraphNode, options: VariantOptions, accept: string): Variant {
    const format = this.#formatOf(file, options, accept);
    const { key, store } = placeOfContent(file);
    const quality = options.quality ?? this.context.config.get('application.images.url.quality');
    const text = [
      file.id,
      key,
      store,
      String(file.properties['version']),
      format,
      String(quality),
      optionsText(options),
    ];
    const name = createHash('sha1').update(text.join('\n')).digest('hex');
    const contentType = CONTENT_TYPES[format];
    return { file, options: { ...options, quality }, format, contentType, name, negotiated: options.format === 'auto' };
  }

  /** Its content, made when it is not there. Throws what `makeImages` throws, and the reason of the signal. */
  bytes(variant: Variant, signal?: AbortSignal): Promise<Buffer> {
    const { name } = variant;
    const held = this.#held.get(name)?.deref();
    if (held !== undefined) return Promise.resolve(held);
    const load = async (all: AbortSignal): Promise<Buffer> => {
      const bytes = await this.#load(variant, all);
      this.#held.set(name, new WeakRef(bytes));
      this.#released.register(bytes, name);
      return bytes;
    };
    return this.#flights.run(name, load, signal);
  }

  /** Resolves when nothing is written any more. */
  stop(): Promise<void> {
    return this.#cache.idle();
  }

  async #load(variant: Variant, signal: AbortSignal): Promise<Buffer> {
    const kept = await this.#cache.get(variant.name);
    if (kept !== undefined) return kept;
    const { file, format, options } = variant;
    const { width, height, fit, enlarge, still, quality } = options;
    const output: ImageOutput = {
      ...boxOf(width, height),
      fit,
      enlarge,
      format,
      quality,
      animated: !still,
    };
    const { made } = await makeImages(this.context, file, [output], { what: 'images at addresses', signal });
    const [image] = made;
    if (image === undefined) throw new MediaError(422, 'The image cannot be made.');
    const { buffer, byteOffset, length } = image.bytes;
    const bytes = Buffer.from(buffer, byteOffset, length);
    await this.#cache.put(variant.name, bytes);
    return bytes;
  }

  #formatOf(file: GraphNode, { format }: VariantOptions, accept: string): OutputFormat {
    if (format !== undefined && format !== 'auto') return format;
    const own = ownFormat(file, 'png');
    if (format === 'auto') {
      const allowed = this.context.config.get('application.images.url.formats');
      // The smaller one first; of what moves AVIF is not made.
      const wanted = own === 'gif' ? (['webp'] as const) : (['avif', 'webp'] as const);
      const taken = wanted.find((one) => allowed.includes(one) && takes(accept, CONTENT_TYPES[one]));
      if (taken !== undefined) return taken;
      // What every client takes.
      if (own === 'webp' || own === 'avif') return takes(accept, CONTENT_TYPES[own]) ? own : 'png';
    }
    return own;
  }
}

/** Whether the header names the type itself: what takes everything says nothing of what it can show. */
function takes(accept: string, type: string): boolean {
  return accept.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
    return name === type && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
  });
}
