/** Colours of lines and bars. A canvas needs them as they are now: the scheme may change while it is shown. */

/** As many lines as can be told apart. */
export const MOST_LINES = 6;

/** The variable of a line. */
export const lineVariable = (index: number): string => `--plot-${String((index % MOST_LINES) + 1)}`;

/** Lines are not told apart by colours alone. */
const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [1, 4]];
export const dashOf = (index: number): number[] => [...(DASHES[index % DASHES.length] ?? [])];

/** What a variable of the style sheets is at an element. */
export function colourOf(element: HTMLElement, variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
