/**
 * Checksums that take long to compute, of many contents at once: pieces come in as they arrive from the network and are
 * acknowledged, so that whoever sends them knows how far behind this thread is.
 */
import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** What is posted to the thread; `id` tells contents apart. */
export type ChecksumJob =
  | { readonly id: number; readonly names: readonly string[] }
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly end: 'values' | 'nothing' };

/** What it posts. */
export type ChecksumMessage =
  | { readonly id: number; readonly taken: number }
  | { readonly id: number; readonly values: Readonly<Record<string, string>> };

const contents = new Map<number, [name: string, hash: Hash][]>();

parentPort?.on('message', (job: ChecksumJob) => {
  const { id } = job;
  if ('names' in job) {
    contents.set(
      id,
      job.names.map((name) => [name, createHash(name)]),
    );
    return;
  }
  const hashes = contents.get(id) ?? [];
  if ('bytes' in job) {
    for (const [, hash] of hashes) hash.update(job.bytes);
    post({ id, taken: job.bytes.length });
    return;
  }
  contents.delete(id);
  if (job.end === 'nothing') return;
  post({ id, values: Object.fromEntries(hashes.map(([name, hash]) => [name, hash.digest('hex')])) });
});

function post(message: ChecksumMessage): void {
  parentPort?.postMessage(message);
}
