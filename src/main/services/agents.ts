/**
 * `AgentService`: works on the content of files in the background, on one instance of all (contract, `configured.services`;
 * docs/interface/media.md 1). Without it what is wanted waits in the database.
 */
import type { Cluster } from '../cluster/index.js';
import type { Media } from '../media/index.js';
import type { Running } from './service.js';

export class Agents implements Running {
  #end: (() => void) | undefined;

  constructor(
    private readonly media: Media,
    private readonly cluster: Cluster,
  ) {}

  start(): void {
    this.#end = this.media.work(this.cluster);
  }

  async stop(): Promise<void> {
    this.#end?.();
    await this.media.processing.stop();
  }
}
