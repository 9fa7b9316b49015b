/** Where the page is: `#/<area>/<further>/…`. Segments are escaped, so that names may be anything. */
import { useEffect, useState } from 'react';

/** What an area is given. */
export interface AreaProps {
  /** What stands behind the area in the address, by its segments. */
  readonly place: readonly string[];
}

const read = (): readonly string[] =>
  location.hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });

/** The address of a place within the page. */
export function placeOf(...segments: readonly string[]): string {
  return `#/${segments.map(encodeURIComponent).join('/')}`;
}

/** Whether somebody is in an area. */
export const isIn = (area: string): boolean => read()[0] === area;

/**
 * Goes on to a place when work is done, such as to what was made. Who has gone elsewhere meanwhile stays there: in another area, or anywhere but
 * at `from` where that is given.
 */
export function goOn(place: string, from?: string): void {
  const [area = ''] = place.replace(/^#\//, '').split('/');
  if (from === undefined ? isIn(area) : location.hash === from) location.hash = place;
}

/** The segments of the place, as it changes. */
export function usePlace(): readonly string[] {
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const follow = (): void => {
      setPlace(read());
    };
    addEventListener('hashchange', follow);
    return () => {
      removeEventListener('hashchange', follow);
    };
  }, []);
  return place;
}
