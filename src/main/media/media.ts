import { join } from 'node:path';
import type { Cluster } from '../cluster/index.js';
import type { GraphNode } from '../graph/index.js';
import type { MediaContext, MediaParts } from './context.js';
import { FACT_KEYS, factsOf } from './images/facts.js';
import { ImageEdits } from './images/edits.js';
import { Variants } from './images/variants/variants.js';
import { Thumbnails } from './images/thumbnails/thumbnails.js';
import { Attempts } from './processing/attempts.js';
import { Processing } from './processing/processing.js';
import { stepsFor } from './processing/table.js';
import { Tools } from './video/tools.js';
import { Videos } from './video/videos.js';

/** Milliseconds: other instances that were silent for so long have ended. */
const SILENT = 60_000;
/** Milliseconds: no work on a content takes so long. */
const LONGEST = 2 * 86_400_000;
/** Milliseconds that work which nobody waits for any more may take at the end. */
const LAST_WORK = 2000;

/** What becomes of the content of files: images, videos, texts (contract, File and Folder; docs/design/media.md). */
export class Media {
  readonly processing: Processing;
  readonly videos: Videos;
  readonly thumbnails: Thumbnails;
  /** Images in sizes that addresses ask for. */
  readonly variants: Variants;
  /** Images that users make of images. */
  readonly edits: ImageEdits;
  readonly #context: MediaContext;

  constructor(parts: MediaParts) {
    const attempts = new Attempts(join(parts.config.path('files.path'), '._svc_media', 'running'));
    this.#context = { ...parts, attempts, tools: new Tools(parts.config) };
    this.processing = new Processing(this.#context);
    this.videos = new Videos(this.#context, this.processing);
    this.thumbnails = new Thumbnails(this.#context);
    this.variants = new Variants(this.#context);
    this.edits = new ImageEdits(this.#context);
    parts.files.facts.keys = FACT_KEYS;
    parts.files.facts.of = (place, head, size) => factsOf(parts, place, head, size);
  }

  /** Whether something is to be done with content of a file in the background. */
  readonly wants = (file: GraphNode, hasTrait: (name: string) => boolean): boolean =>
    stepsFor(file, hasTrait, this.#context).length > 0;

  /** Takes up what a server left that ended suddenly; before requests come. */
  async start(): Promise<void> {
    const { attempts, files, graph } = this.#context;
    const members = (await graph.membership?.members()) ?? [];
    const others = members.some(({ self, silentFor }) => !self && silentFor < SILENT);
    await files.onDisk.clear(others ? LONGEST : 0);
    await attempts.start(others);
  }

  /** What one instance does for all (`AgentService`): content is worked on. Returns what ends it. */
  work(cluster: Cluster): () => void {
    return cluster.onCoordinator((signal) => {
      this.processing.begin(signal);
    });
  }

  /** Resolves when nothing is being worked on any more. */
  async stop(): Promise<void> {
    await this.thumbnails.stop();
    await this.variants.stop();
    await this.processing.stop();
    // Marks of what ends with the process would count as ends of it.
    await this.#context.attempts.idle(LAST_WORK);
  }
}
