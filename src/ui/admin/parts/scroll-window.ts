/** Which rows of a long list are seen. */
import { useCallback, useLayoutEffect, useState, type RefObject } from 'react';

/** Browsers draw no element that is higher than some 33 million pixels; scroll bars of more rows than fit in here move by more than a row. */
const HIGHEST = 15_000_000;
/** Rows above and below what is seen. */
const SPARE = 6;

export interface ScrollWindow {
  readonly first: number;
  /** The last row that is drawn; -1: none. */
  readonly last: number;
  /** Height of what is scrolled, pixels. */
  readonly height: number;
  /** Where the first row is drawn, pixels from the top. */
  readonly top: number;
  /** Moves so that a row is seen. */
  readonly show: (row: number) => void;
}

/** Of `count` rows of `rowHeight` pixels within an element that scrolls; `head`: pixels of what stays at its top. */
export function useScrollWindow(
  box: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  head: number,
): ScrollWindow {
  const [{ top, seen }, setSeen] = useState({ top: 0, seen: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = (): void => {
      setSeen({ top: element.scrollTop, seen: element.clientHeight - head });
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const size = new ResizeObserver(look);
    size.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      size.disconnect();
    };
  }, [box, head, count === 0]);
  const full = count * rowHeight;
  const height = Math.min(full, HIGHEST);
  // 1 where all rows fit; else how many pixels of rows one of the scroll bar stands for.
  const scale = height <= seen ? 1 : (full - seen) / (height - seen);
  const offset = top * scale;
  const first = Math.max(0, Math.floor(offset / rowHeight) - SPARE);
  const last = Math.min(count - 1, Math.ceil((offset + seen) / rowHeight) + SPARE);
  const show = useCallback(
    (row: number) => {
      const element = box.current;
      if (element === null) return;
      const now = element.scrollTop * scale;
      const [from, to] = [row * rowHeight, (row + 1) * rowHeight];
      if (from < now) element.scrollTop = from / scale;
      else if (to > now + seen) element.scrollTop = (to - seen) / scale;
    },
    [box, rowHeight, scale, seen],
  );
  return { first, last, height, top: top + (first * rowHeight - offset), show };
}
