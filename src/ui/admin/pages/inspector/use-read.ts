/** Reads again whenever one of its conditions is another. */
import { useEffect, useState } from 'react';
import type { RefusedError } from '../../../common/request.js';
import { useWork } from '../../../common/work.js';

/** What was read last stays until the next is there. */
export function useRead<T>(
  load: () => Promise<T>,
  conditions: readonly unknown[],
): { readonly value: T | undefined; readonly problem: RefusedError | undefined } {
  const [value, setValue] = useState<T>();
  const { problem, run } = useWork();
  useEffect(() => {
    let stale = false;
    void run(async () => {
      const read = await load();
      if (!stale) setValue(read);
    });
    return () => {
      stale = true;
    };
  }, conditions);
  return { value, problem };
}
