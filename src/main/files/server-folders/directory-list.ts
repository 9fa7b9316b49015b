/** Directories that a setting lists, separated by semicolons or commas. */
export function directoriesIn(list: string): string[] {
  return list
    .split(/[;,]/)
    .map((directory) => directory.trim())
    .filter((directory) => directory !== '');
}
