/** Which changed values are times: the log has them as milliseconds since 1970 (docs/interface/changelog.md 3). */
import { useEffect, useState } from 'react';
import { fewAtOnce } from '../server/few-at-once.js';
import { loadProperties } from '../server/schema.js';

/** Tells of a type and a property whether its values are times. Of a type whose schema may not be read, or is gone, none are. */
export function useDateKeys(types: readonly string[]): (type: string, key: string) => boolean {
  const [known, setKnown] = useState<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  const missing = [...new Set(types)].filter((type) => type !== '' && !known.has(type)).sort();
  const asked = missing.join(' ');
  useEffect(() => {
    if (missing.length === 0) return;
    let isShown = true;
    void fewAtOnce(missing, async (type) => [type, await datesOf(type)] as const).then((found) => {
      if (isShown) setKnown((before) => new Map([...before, ...found]));
    });
    return () => {
      isShown = false;
    };
  }, [asked]);
  return (type, key) => known.get(type)?.has(key) === true;
}

async function datesOf(type: string): Promise<ReadonlySet<string>> {
  const properties = await loadProperties(type).catch(() => []);
  return new Set(properties.filter((one) => one.type === 'Date' && !one.isCollection).map(({ jsonName }) => jsonName));
}
