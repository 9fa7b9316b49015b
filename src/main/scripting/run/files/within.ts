import type { Within } from '../../../files/index.js';
import type { ScriptContext } from '../run.js';
import { waitingSignal } from '../limits/signals.js';

/**
 * Work on files in the transaction of a script, which becomes the writer when the work asks for that, and ends with the request.
 * Throws `ScriptError` 422 where nothing can be written.
 */
export async function withinScript<T>(
  { run, actor, access }: ScriptContext,
  work: (within: Within) => Promise<T>,
): Promise<T> {
  const { transaction } = run;
  transaction.refuseReading();
  const { signal, stop } = waitingSignal(run);
  try {
    return await work({
      actor,
      access,
      signal,
      read: (reading) => transaction.read(reading),
      objects: () => transaction.objects(actor, access),
    });
  } finally {
    stop();
  }
}
