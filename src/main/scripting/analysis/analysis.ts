/**
 * What version 7.0 changed in scripts: where it stands, and the script with what is certain put right (contract, Startup migration
 * mode). Scripts are read and not run. Everything that is not put right stays as it is, byte for byte.
 */
import { ScriptSyntaxError, type Position } from '../language/errors.js';
import { functionNamed } from '../functions/table.js';
import { Lines, scriptOf, splitScripts, type ScriptLanguage } from '../language/split.js';
import type { FoundCall, Wanted } from './calls.js';
import { CRYPT_FUNCTIONS, cryptNote } from './crypt-functions.js';
import { callsInExpression } from './expression-calls.js';
import { HTTP_FUNCTIONS, httpFinding, type Edit } from './http-signatures.js';
import { callsInJavaScript } from './javascript-calls.js';

/** `http`: calls of before 7.0; `crypt`: calls to look at; `unreadable`: a script that cannot be read, so nothing is known. */
export type Matter = 'http' | 'crypt' | 'unreadable';

export interface Finding {
  readonly matter: Matter;
  /** In the text that was given; lines and columns count from 1. */
  readonly position: Position;
  /** One sentence for the author of the script, without a full stop. */
  readonly message: string;
  /** `text` of the analysis has it put right. */
  readonly isRewritten: boolean;
}

export interface Analysis {
  /** In the order of the text. */
  readonly findings: readonly Finding[];
  /** The text that was given, with what is certain rewritten; the same when nothing is. */
  readonly text: string;
}

export interface AnalysisOptions {
  /** Names of the functions that users have defined: they hide those of the library. */
  readonly userFunctions?: { has(name: string): boolean };
  /** What is looked for, and found unreadable; absent: all. */
  readonly matter?: 'http' | 'crypt';
}

/**
 * A source that is a script as a whole: of a method, a function, a function property (docs/interface/scripting.md 1.1). Never throws: what cannot be
 * read is a finding. Time and memory are proportional to the length of the source.
 */
export function analyseScript(source: string, options: AnalysisOptions = {}): Analysis {
  const trimmed = source.trim();
  const text = new Text(source, options);
  if (trimmed !== '') {
    const { language, source: script, skipped } = scriptOf(trimmed);
    text.look(script, language, source.length - source.trimStart().length + skipped);
  }
  return text.analysis();
}

/** A text with scripts in it, such as that of a mail template or of a file with `isTemplate`. Never throws, as `analyseScript`. */
export function analyseTemplate(source: string, options: AnalysisOptions = {}): Analysis {
  const text = new Text(source, options);
  let done = 0;
  for (const piece of splitScripts(source)) {
    done += piece.text.length;
    // A script ends with a brace that is not part of its source.
    if (piece.kind === 'script') text.look(piece.source, piece.language, done - 1 - piece.source.length);
  }
  return text.analysis();
}

/** A source that pages evaluate as it stands, as they do conditions and sources of repeaters (docs/interface/scripting.md 3.1). Never throws, as `analyseScript`. */
export function analyseValue(source: string, options: AnalysisOptions = {}): Analysis {
  const text = new Text(source, options);
  const [piece] = splitScripts(`\${${source.trim()}}`);
  if (piece?.kind === 'script') {
    const within = piece.text.length - 1 - piece.source.length - '${'.length;
    text.look(piece.source, piece.language, source.length - source.trimStart().length + within);
  }
  return text.analysis();
}

/** Whether one of the functions may be named in a text: reading it as a script takes a thousand times as long. */
function names(functions: ReadonlySet<string>): RegExp {
  const spellings = [...functions].flatMap((name) => [name, name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)]);
  // A name in JavaScript may have escapes in it.
  return new RegExp(`${spellings.join('|')}|\\\\[ux]`);
}

const NAMED = { http: names(HTTP_FUNCTIONS), crypt: names(CRYPT_FUNCTIONS) };

interface Placed extends Omit<Finding, 'position'> {
  readonly at: number;
}

class Text {
  private readonly found: Placed[] = [];
  private readonly edits: Edit[] = [];
  private readonly wanted: Wanted;
  private readonly mayHave: (source: string) => boolean;

  constructor(
    private readonly text: string,
    { userFunctions, matter }: AnalysisOptions,
  ) {
    const isWanted = (name: string): boolean =>
      (matter !== 'crypt' && HTTP_FUNCTIONS.has(name)) || (matter !== 'http' && CRYPT_FUNCTIONS.has(name));
    this.wanted = (written) => {
      const name = userFunctions?.has(written) === true ? undefined : functionNamed(written)?.name;
      return name !== undefined && isWanted(name) ? name : undefined;
    };
    this.mayHave = (source) => matter === undefined || NAMED[matter].test(source);
  }

  /** A script whose source begins at `offset`. */
  look(source: string, { kind }: ScriptLanguage, offset: number): void {
    if (kind === 'other' || !this.mayHave(source)) return;
    try {
      const calls = (kind === 'expression' ? callsInExpression : callsInJavaScript)(source, this.wanted);
      for (const call of calls) this.add(call, source, offset);
    } catch (error) {
      if (!(error instanceof ScriptSyntaxError)) throw error;
      this.found.push({
        matter: 'unreadable',
        at: placeOf(error, source, offset),
        message: error.reason,
        isRewritten: false,
      });
    }
  }

  private add(call: FoundCall, source: string, offset: number): void {
    const at = offset + call.at;
    if (CRYPT_FUNCTIONS.has(call.name)) {
      this.found.push({ matter: 'crypt', at, message: cryptNote(call), isRewritten: false });
      return;
    }
    const finding = httpFinding(call, source);
    if (finding === undefined) return;
    const { message, edits } = finding;
    this.found.push({ matter: 'http', at, message, isRewritten: edits !== undefined });
    for (const edit of edits ?? []) this.edits.push({ ...edit, at: edit.at + offset, end: edit.end + offset });
  }

  analysis(): Analysis {
    const found = [...this.found].sort((a, b) => a.at - b.at);
    const lines = new Lines(this.text);
    const findings = found.map(({ at, ...finding }) => ({ ...finding, position: lines.at(at) }));
    return { findings, text: edited(this.text, this.edits) };
  }
}

/** Messages of the parser name the place in the script; here it is the place in the whole text that counts. */
function placeOf({ position: { line, column } }: ScriptSyntaxError, source: string, offset: number): number {
  let start = 0;
  for (let i = 1; i < line; i++) start = source.indexOf('\n', start) + 1;
  return offset + Math.min(source.length, start + column - 1);
}

function edited(text: string, edits: readonly Edit[]): string {
  let out = '';
  let done = 0;
  for (const { at, end, text: replacement } of [...edits].sort((a, b) => a.at - b.at || a.end - b.end)) {
    out += text.slice(done, at) + replacement;
    done = end;
  }
  return out + text.slice(done);
}
