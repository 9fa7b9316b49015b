/** Expressions of users, matched against whole messages (docs/interface/analytics.md 5). */
import { JavaPattern, JavaPatternError } from '../../../shared/java-pattern.js';
import { DigestError } from '../../../shared/digest.js';

/** Characters of one expression. */
const LONGEST = 1000;

/** `what` names it in errors. Throws `DigestError`. */
export function expression(source: string, what: string): JavaPattern {
  if (source.length > LONGEST) {
    throw new DigestError(
      `${what}: an expression has at most ${String(LONGEST)} characters, this one has ${String(source.length)}.`,
    );
  }
  try {
    return JavaPattern.compile(source);
  } catch (error) {
    if (error instanceof JavaPatternError)
      throw new DigestError(`${what}: ${shown(source)} is no usable expression (${error.message}).`);
    throw error;
  }
}

/** The same with the one group that says what counts. */
export function capturing(source: string, what: string): JavaPattern {
  const found = expression(source, what);
  if (found.groups === 0) throw new DigestError(`${what}: ${shown(source)} needs a capture group, such as (.*).`);
  return found;
}

export function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
