/** What a mounted directory has no more leaves the tree. */
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GraphNode } from '../../graph/index.js';
import type { ObjectTransaction } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import type { FilesContext } from '../context.js';
import { placeOfContent } from '../content/place.js';
import type { ScanCounts } from './counts.js';
import { isFolder, LEAVE_BATCH, nameIn } from './found.js';
import type { Mount } from './mount.js';
import type { ToDisk } from './to-disk.js';
import type { Batching } from './together.js';

const log = logger('files.mounts');

/** What became of those that were missed. */
interface Outcome {
  /** Ids of those that leave the tree. */
  readonly left: string[];
  /** Ids of those that wait for their way to the disk. */
  readonly waiting: string[];
  /** Names that lead to folders which stay for these, from the top down. */
  readonly folders: (readonly string[])[];
}

export class Leaving {
  /** `counts.removed` is added to. */
  constructor(
    private readonly context: FilesContext,
    private readonly toDisk: ToDisk,
    private readonly mount: Mount,
    private readonly counts: ScanCounts,
    private readonly inBatches: (items: readonly GraphNode[], how: Batching<GraphNode>) => Promise<void>,
  ) {}

  /** Those of the nodes that the disk has no more; `names` lead from the mounted directory to where they were missed. */
  async remove(nodes: readonly GraphNode[], names: readonly string[]): Promise<void> {
    const gone: GraphNode[] = [];
    for (const node of nodes) {
      if (await this.#isIncoming(node)) this.toDisk.settle(node.id);
      else if (await this.#isGone(node, names)) gone.push(node);
    }
    for (let at = 0; at < gone.length; at += LEAVE_BATCH)
      await this.#leaveTogether(gone.slice(at, at + LEAVE_BATCH), names);
  }

  /** Whether its content is on its way to the disk. */
  async #isIncoming(node: GraphNode): Promise<boolean> {
    const { storage } = this.mount;
    const content = placeOfContent(node);
    return content.store === storage.name && (await storage.isIncoming(content));
  }

  /** Whether the disk has it no more; a link that was passed over may have taken its place. */
  async #isGone(node: GraphNode, names: readonly string[]): Promise<boolean> {
    return lstat(this.#pathOf(node, names)).then(
      (facts) => facts.isSymbolicLink(),
      (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
    );
  }

  /** Whether it is still that which was missed: it, or a folder above, may have got another name since, or is about to. */
  async #isStillGone(objects: ObjectTransaction, node: GraphNode, names: readonly string[]): Promise<boolean> {
    const { storages } = this.context;
    const now = await objects.tx.node(node.id);
    const missed = JSON.stringify([...names, nameIn(node.properties['mountPlace'])]);
    for (const key of ['mountPlace', 'place'] as const) {
      const at = await storages.mountOf(objects.tx, now, { key });
      if (at?.root !== this.mount.root || JSON.stringify(at.names) !== missed) return false;
    }
    return this.#isGone(node, names);
  }

  #pathOf({ properties }: GraphNode, names: readonly string[]): string {
    return join(this.mount.storage.target, ...names, nameIn(properties['mountPlace']));
  }

  #leaveTogether(nodes: readonly GraphNode[], names: readonly string[]): Promise<void> {
    const outcome: Outcome = { left: [], waiting: [], folders: [] };
    const { left, waiting, folders } = outcome;
    return this.inBatches(nodes, {
      write: async (objects, node) => {
        if (!(await this.#isStillGone(objects, node, names))) return;
        await this.#leave(objects, node, names, outcome);
        // Before the commit: without it they are in the tree as well.
        for (const folder of folders.splice(0)) await this.#makeAgain(folder);
      },
      written: () => {
        this.counts.removed += left.splice(0).length;
        for (const id of waiting.splice(0)) this.toDisk.settle(id);
      },
      refused: () => {
        for (const id of left.splice(0)) this.toDisk.staysInTree(id);
        waiting.length = folders.length = 0;
      },
      failed: (node, error) => {
        log.warn(`${this.#pathOf(node, names)} is gone, and could not be removed from the tree`, error);
      },
    });
  }

  /**
   * A file or folder leaves the tree with all that is known to be below it on the disk; not with what is on its way there, for which the
   * folders above stay, too. Whether it has left; `names` lead to where it was.
   */
  async #leave(
    objects: ObjectTransaction,
    node: GraphNode,
    names: readonly string[],
    outcome: Outcome,
  ): Promise<boolean> {
    const now = await objects.tx.node(node.id);
    if (now === undefined) return true;
    const { mountPlace, place } = now.properties;
    if (mountPlace !== place || (await this.#isIncoming(now))) {
      outcome.waiting.push(now.id);
      return false;
    }
    if (isFolder(this.context, now) && !(await this.#leaveFrom(objects, now, [...names, nameIn(place)], outcome)))
      return false;
    this.toDisk.leavesTree(now.id);
    outcome.left.push(now.id);
    await objects.delete(now);
    return true;
  }

  /** The same for all that a folder has. */
  async #leaveFrom(
    objects: ObjectTransaction,
    folder: GraphNode,
    names: readonly string[],
    outcome: Outcome,
  ): Promise<boolean> {
    const [children = []] = await objects.tx.related([folder.id], { relType: 'CONTAINS', direction: 'out' });
    const { folders } = outcome;
    const at = folders.length;
    let all = true;
    for (const child of children) all = (await this.#leave(objects, child, names, outcome)) && all;
    if (!all) folders.splice(at, 0, names);
    return all;
  }

  async #makeAgain(names: readonly string[]): Promise<void> {
    await mkdir(await this.mount.storage.entry(names)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  }
}
