/** Words that are alike: by a pattern, or but for some letters. */

/** Whether `*` (any letters) and `?` (one letter) in a pattern can stand for what makes it the word; in time that the lengths bound. */
export function fits(word: readonly string[], pattern: readonly string[]): boolean {
  let [at, next] = [0, 0];
  let star = -1;
  let from = 0;
  while (at < word.length) {
    const one = pattern[next];
    if (one === '*') {
      star = next++;
      from = at;
    } else if (one === '?' || (one !== undefined && one === word[at])) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++from;
    } else return false;
  }
  while (pattern[next] === '*') next++;
  return next === pattern.length;
}

/** How many letters must be put in, left out, replaced or swapped with the next to make one word the other; more than `most`: `most` + 1. */
export function edits(a: readonly string[], b: readonly string[], most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    if (Math.min(...next) > most) return most + 1;
    [before, row] = [row, next];
  }
  return Math.min(row[b.length] ?? 0, most + 1);
}
