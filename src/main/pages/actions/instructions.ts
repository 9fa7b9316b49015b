/** Values that the browser's script takes for instructions, where somebody may have typed them (docs/interface/pages.md 7.2). */

/** What stands for the place of a value. */
const INSTRUCTION = /^\s*(?:css|name|id|data)\(/;
/** What is done afterwards, where it is not to show elements anew. */
const OTHER_TARGET = /^(url|event|css|toast|template):|^(sign-out)$/;
/** Somewhere below the root of this site. */
const OF_SITE = /^\/(?![/\\])/;

/** What an author has written of a text before the first script in it, which decides what the whole is. */
function beginning(source: string): string {
  const at = source.indexOf('${');
  return at < 0 ? source : source.slice(0, at);
}

/** A value as text, whatever it looks like, unless its author has written that it is an instruction. */
export function guarded(value: string, source = ''): string {
  if (!INSTRUCTION.test(value) || INSTRUCTION.test(beginning(source))) return value;
  return `json(${JSON.stringify(value)})`;
}

/**
 * Whether what scripts have made of a target is what its author has written: selectors where he has named nothing else, and an address of this site where it begins as
 * one.
 */
export function isTargetOf(source: string, target: string): boolean {
  const begun = beginning(source);
  const kind = kindOf(target);
  if (kind !== kindOf(begun)) return false;
  if (kind !== 'url') return true;
  return !OF_SITE.test(addressIn(begun)) || isOfSite(addressIn(target));
}

function kindOf(target: string): string {
  const [, prefix, word] = OTHER_TARGET.exec(target) ?? [];
  return prefix ?? word ?? 'selectors';
}

function addressIn(target: string): string {
  return target.slice(target.indexOf(':') + 1).trim();
}

const ANY = 'http://site.invalid';

/** As browsers read it. */
function isOfSite(address: string): boolean {
  return URL.canParse(address, ANY) && new URL(address, ANY).origin === ANY;
}
