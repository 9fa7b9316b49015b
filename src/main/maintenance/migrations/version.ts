/** Versions of the program, as steps and databases name them: three numbers. */

/** Whether `a` comes before `b`. What is no version, as somebody else may have written, counts as the first of all. */
export function isBefore(a: string, b: string): boolean {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let i = 0; i < left.length; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** The last of some versions; `0.0.0` of none. */
export function lastOf(versions: readonly string[]): string {
  return versions.reduce((last, one) => (isBefore(last, one) ? one : last), '0.0.0');
}

function partsOf(version: string): readonly number[] {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match === null ? [0, 0, 0] : match.slice(1).map(Number);
}
