/**
 * Makes a digest of nodes that the main thread reads, where the database is no file that this thread could read itself. Batches come by the
 * port; each is answered by the text that it gives, so that no more of them are on their way than the sender wants.
 */
import type { MessagePort } from 'node:worker_threads';
import { DIGEST_PIECE, DigestError, type Digest, type OpenDigester, type Stored } from '../../shared/digest.js';

export interface StreamJob {
  readonly digest: Digest;
  readonly port: MessagePort;
  /** Not zero: nobody waits any more. */
  readonly stopped: Int32Array;
}

/** Nodes of a query; or the end of all. */
export type StreamBatch =
  { readonly query: number; readonly nodes: readonly (readonly [id: string, properties: Stored])[] } | 'end';

export type StreamAnswer = { readonly text: string; readonly last: boolean } | { readonly problem: string };

class Stopped extends Error {}

export default async function digest({ digest, port, stopped }: StreamJob): Promise<void> {
  const { open } = (await import(digest.module)) as { readonly open: OpenDigester };
  const check = (): void => {
    if (Atomics.load(stopped, 0) !== 0) throw new Stopped();
  };
  await new Promise<void>((resolve) => {
    let digester: ReturnType<OpenDigester> | undefined;
    const answer = (message: StreamAnswer): void => {
      port.postMessage(message);
    };
    port.on('close', resolve);
    port.on('message', (batch: StreamBatch) => {
      try {
        digester ??= open(digest.options, check);
        let text = '';
        if (batch !== 'end') {
          for (const [id, properties] of batch.nodes) {
            check();
            text += digester.take(batch.query, id, properties);
          }
          answer({ text, last: false });
          return;
        }
        for (const piece of digester.end()) {
          check();
          text += piece;
          if (text.length < DIGEST_PIECE) continue;
          answer({ text, last: false });
          text = '';
        }
        answer({ text, last: true });
      } catch (error) {
        if (error instanceof DigestError) answer({ problem: error.message });
        else if (!(error instanceof Stopped)) throw error;
        port.close();
      }
    });
  });
}
