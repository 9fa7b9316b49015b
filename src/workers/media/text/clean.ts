/** The text of a document as it is stored (docs/interface/media.md 4). */

/** Characters side by side that are alike, beyond which there is nothing to find. */
const ALIKE = 11;
const OTHERS = /[^\p{L}\p{M}\p{N}_\-@.,\s]/gu;
const RUNS = /([^])\1{11,}/gu;

/** Letters, digits, `_ - @ . ,` and blanks; what is in their place otherwise becomes a blank. */
export function cleaned(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(OTHERS, ' ')
    .replace(RUNS, (_, one: string) => one.repeat(ALIKE))
    .trim();
}
