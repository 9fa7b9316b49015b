/** Texts with scripts in them, the scripts replaced by their results (docs/interface/scripting.md 1.3, 7). */
import { isElsewhere } from '../../graph/index.js';
import { datePattern } from '../../../shared/dates/index.js';
import type { ScriptContext } from '../run/run.js';
import { ScriptError, type Position } from '../language/errors.js';
import type { Config } from '../../config/index.js';
import type { ScriptSeries } from '../engines/javascript/javascript.js';
import type { Known } from '../engines/expression/expressions.js';
import { expressions, javaScriptOf } from './languages.js';
import { unreadableAt } from '../engines/javascript/javascript.js';
import { NOT_PLAIN } from '../engines/javascript/plain/plain.js';
import { forEach } from '../run/limits/pace.js';
import { failureText } from '../run/failed-scripts.js';
import { behindBlanks, placed, START, within } from '../language/place.js';
import { SizedCache } from '../language/sized-cache.js';
import { splitScripts, type Piece } from '../language/split.js';
import { textOf, zoneOf } from '../language/text.js';
import { chain, type Awaitable, type ScriptValue } from '../language/values.js';

/** Characters of one result; a script in a loop of templates could fill the memory otherwise. */
const MOST_OUTPUT = 64 * 1024 * 1024;
/** Characters of texts that are kept split; what is compiled of their scripts takes some ten times as many bytes. */
const MOST_KEPT = 8 * 1024 * 1024;

type Script = Extract<Piece, { kind: 'script' }> & {
  /** Of an expression, once it was evaluated: a text is filled many times. */
  known?: Known;
  /** Of JavaScript that stands by itself, once it was evaluated: it answers by `return`. */
  returns?: boolean;
};

/** What becomes of a text by its purpose. */
export interface TemplateForm {
  /** The text around scripts, and their results. */
  readonly escape: (text: string) => Awaitable<string>;
  /** The text around scripts, where that is another; absent: it is not. */
  readonly fixed?: (text: string) => string;
  /** `source`: of the script, without `${` and `}`. */
  readonly result: (value: ScriptValue, context: ScriptContext, source: string) => string;
  /** Printed text comes before the result; otherwise it replaces one (docs/interface/scripting.md 3.1). */
  readonly printsInPlace: boolean;
  /** A script that does not end is text; otherwise nothing. */
  readonly keepsUnterminated: boolean;
  /** A script that fails is nothing, and logged; otherwise the whole fails. */
  readonly skipsErrors: boolean;
  /** Asked before each script: true, and it is nothing, and not run. */
  readonly isOver?: () => boolean;
}

/** Takes what becomes of a text as it is made, where that is not gathered. */
export type TemplateSink = (text: string) => void;

const asIs = (text: string): string => text;

/** Files, mails, `replace()`: nothing is escaped (docs/interface/scripting.md 7.1). */
export const TEXT: TemplateForm = {
  escape: asIs,
  result: textOf,
  printsInPlace: false,
  keepsUnterminated: true,
  skipsErrors: false,
};

/** Template nodes, and content that is markup (docs/interface/scripting.md 7.3). */
export const PAGE_MARKUP: TemplateForm = {
  escape: asIs,
  result: pageText,
  printsInPlace: true,
  keepsUnterminated: false,
  skipsErrors: true,
};

/**
 * A text with `${...}` and `${{...}}` replaced by their results. `origin`: where it begins in what its user wrote. Answers, and throws `ScriptError`, at once where nothing has to be
 * waited for.
 */
export function replaceScripts(
  text: string,
  context: ScriptContext,
  form: TemplateForm = TEXT,
  origin: Position = START,
): Awaitable<string> {
  if (!text.includes('${')) return (form.fixed ?? form.escape)(text);
  const filling = new Filling(context, form, origin);
  return chain(filling.fill(text), () => filling.text);
}

/** The same piece by piece: what scripts write past it stands in its place. */
export function writeScripts(
  text: string,
  context: ScriptContext,
  form: TemplateForm,
  sink: TemplateSink,
): Awaitable<void> {
  return new Filling(context, form, START, sink).fill(text);
}

/** The texts around the scripts of a text, as `TemplateForm.fixed` gets them. */
export function textsAround(text: string): readonly string[] {
  return piecesOf(text).flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []));
}

/** A script in a text. */
export type TemplateScript = Script;

export function isJavaScriptOf({ language }: TemplateScript): boolean {
  return language.kind === 'javascript';
}

/** A text as pages write it: texts, and the scripts between them. */
export function partsOf(text: string): readonly (string | TemplateScript)[] {
  return piecesOf(text).flatMap<string | TemplateScript>((piece) => {
    if (piece.kind === 'script') return [piece];
    return piece.kind === 'text' ? [piece.text] : [];
  });
}

/** One script of a text, as `writeScripts` does it. Pages have hundreds: for one that answers at once nothing is made. */
export function writeScript(
  script: TemplateScript,
  context: ScriptContext,
  form: TemplateForm,
  sink: TemplateSink,
): Awaitable<void> {
  if (!isPageForm(form)) return new Filling(context, form, START, sink).script(script);
  const { run } = context;
  const before = run.printed;
  run.printed = '';
  try {
    const value = evaluate(script, context, START);
    if (value instanceof Promise) return new Filling(context, form, START, sink).goOn(script, value, before);
    const { printed } = run;
    run.printed = before;
    const text = form.escape(printed + form.result(value, context, script.source));
    if (text instanceof Promise) return text.then(sink).catch((error: unknown) => void warn(error, context));
    sink(text);
  } catch (error) {
    run.printed = before;
    warn(error, context);
  }
}

function isPageForm({ printsInPlace, skipsErrors, isOver }: TemplateForm): boolean {
  return printsInPlace && skipsErrors && isOver === undefined;
}

/** A script among several, as it is when it runs. */
export interface PlacedScript {
  readonly script: TemplateScript;
  readonly context: ScriptContext;
  readonly form: TemplateForm;
}

/**
 * Scripts of JavaScript that are written one after the other, with nothing but fixed text between them: they cross to their isolate together.
 * `at` is asked for each when it, or one of those before it, is about to run.
 */
export class WrittenSeries {
  readonly #series: ScriptSeries;

  constructor(config: Config, count: number, at: (index: number) => Pick<PlacedScript, 'script' | 'context'>) {
    this.#series = javaScriptOf(config).series(count, (index) => {
      const { script, context } = at(index);
      const { source, position } = script;
      return { source: source.trim(), origin: behindBlanks(source, position), context };
    });
  }

  /** Writes the next one, as `writeScript` does it. */
  write({ script, context, form }: PlacedScript, sink: TemplateSink): Awaitable<void> {
    const { run } = context;
    // What is printed stands for the result (docs/interface/scripting.md 3.1).
    const value = (): Awaitable<ScriptValue> =>
      chain(this.#series.next(), (result) => {
        const { printed } = run;
        run.printed = '';
        return printed === '' ? result : printed;
      });
    return new Filling(context, form, START, sink).script(script, value);
  }

  /** As in `ScriptSeries`. */
  get isRunning(): boolean {
    return this.#series.isRunning;
  }

  /** To be called whatever has happened. */
  end(): void {
    this.#series.end();
  }
}

/**
 * The value of a script that stands by itself, without `${` and `}` around it: a condition, or the source of a repeater. JavaScript with `return` at its top
 * answers by that (docs/interface/scripting.md 3.1).
 */
export function scriptValue(source: string, context: ScriptContext): Awaitable<ScriptValue> {
  const [piece] = piecesOf(`\${${source.trim()}}`);
  if (piece?.kind !== 'script') return null;
  const script: Script = piece;
  if (script.language.kind !== 'javascript' || script.returns === false || !/\breturn\b/.test(script.source)) {
    return evaluate(script, context, START);
  }
  if (script.returns === true) return evaluate(script, context, START, true);
  return returnsAtTop(script.source).then((returns) => {
    script.returns = returns;
    return evaluate(script, context, START, returns || undefined);
  });
}

/** Whether a source can be read only as the body of a function. */
async function returnsAtTop(source: string): Promise<boolean> {
  return (await unreadableAt(source, false)) !== undefined && (await unreadableAt(source, true)) === undefined;
}

/**
 * The value of an attribute, not escaped yet. Null: the attribute is left out, because nothing but scripts without a value is in it
 * (docs/interface/scripting.md 7.3), or because one of them fails (docs/interface/script-runtime.md 3.4).
 */
export function attributeValue(text: string, context: ScriptContext): Awaitable<string | null> {
  if (!text.includes('${')) return text;
  const filling = new Filling(context, TEXT);
  const failed = (error: unknown): null => {
    warn(error, context);
    return null;
  };
  try {
    const filled = chain(filling.fill(text), () =>
      filling.onlyNulls && filling.text.trim() === '' ? null : filling.text,
    );
    return filled instanceof Promise ? filled.catch(failed) : filled;
  } catch (error) {
    return failed(error);
  }
}

/** Texts that were split before. */
const split = new SizedCache<readonly Piece[]>(MOST_KEPT);

function piecesOf(text: string): readonly Piece[] {
  const known = split.get(text);
  if (known !== undefined) return known;
  const pieces = splitScripts(text);
  split.set(text, pieces);
  return pieces;
}

class Filling {
  text = '';
  /** Every script had the value null. */
  onlyNulls = true;

  constructor(
    private readonly context: ScriptContext,
    private readonly form: TemplateForm,
    private readonly origin: Position = START,
    private readonly sink?: TemplateSink,
  ) {}

  fill(text: string): Awaitable<void> {
    return forEach(piecesOf(text), this.context.run, (piece) => {
      if (piece.kind === 'script') {
        const done = this.script(piece);
        return done instanceof Promise ? done.then(() => false) : false;
      }
      if (piece.kind !== 'text' && !this.form.keepsUnterminated) return false;
      const done = this.escaped(piece.text, this.form.fixed);
      return done instanceof Promise ? done.then(() => false) : false;
    });
  }

  /** `valued`: what evaluates it. */
  script(
    script: Script,
    valued = (): Awaitable<ScriptValue> => evaluate(script, this.context, this.origin),
  ): Awaitable<void> {
    if (this.form.isOver?.() === true) return;
    if (!this.form.skipsErrors) return this.run(script, valued);
    const failed = (error: unknown): void => {
      warn(error, this.context);
    };
    try {
      const done = this.run(script, valued);
      return done instanceof Promise ? done.catch(failed) : done;
    } catch (error) {
      failed(error);
    }
  }

  /** For a script that has begun and answers later. `before`: what was printed around it. */
  goOn(script: Script, value: Promise<ScriptValue>, before: string): Promise<void> {
    const done = this.later(script, value, before);
    if (!this.form.skipsErrors) return done;
    return done.catch((error: unknown) => {
      warn(error, this.context);
    });
  }

  /** What a script prints is its own; what was printed around it stays. */
  private run(script: Script, valued: () => Awaitable<ScriptValue>): Awaitable<void> {
    const { run } = this.context;
    const before = run.printed;
    run.printed = '';
    let value: Awaitable<ScriptValue>;
    try {
      value = valued();
    } catch (error) {
      run.printed = before;
      throw error;
    }
    if (value instanceof Promise) return this.later(script, value, before);
    const { printed } = run;
    run.printed = before;
    return this.result(script, value, printed);
  }

  private async later(script: Script, value: Promise<ScriptValue>, before: string): Promise<void> {
    const { run } = this.context;
    let printed = '';
    let known: ScriptValue;
    try {
      known = await value;
      ({ printed } = run);
    } finally {
      run.printed = before;
    }
    await this.result(script, known, printed);
  }

  private result(script: Script, value: ScriptValue, printed: string): Awaitable<void> {
    const javascript = script.language.kind === 'javascript';
    // JavaScript without a value is the empty text (docs/interface/scripting.md 7.3).
    if (value !== null || printed !== '' || javascript) this.onlyNulls = false;
    const own = this.form.result(value, this.context, script.source);
    if (this.form.printsInPlace) return this.escaped(printed + own);
    return this.escaped(printed !== '' && (javascript || own === '') ? printed : own);
  }

  private escaped(text: string, escape: TemplateForm['escape'] = this.form.escape): Awaitable<void> {
    return chain(escape(text), (made) => {
      this.add(made);
    });
  }

  private add(text: string): void {
    if (this.sink !== undefined) {
      if (text !== '') this.sink(text);
      return;
    }
    if (this.text.length + text.length > MOST_OUTPUT) {
      throw new ScriptError(422, `${this.context.title} becomes longer than ${String(MOST_OUTPUT)} characters.`);
    }
    this.text += text;
  }
}

function evaluate(script: Script, context: ScriptContext, origin: Position, wrapped?: boolean): Awaitable<ScriptValue> {
  const { source, language } = script;
  const position = origin === START ? script.position : within(script.position, origin);
  const { engine, parts } = context.run;
  switch (language.kind) {
    case 'expression': {
      const known = (script.known ??= expressions.know(source, context, position));
      return expressions.evaluateKnown(known, source, context, position);
    }
    case 'javascript': {
      const value = wrapped === true ? NOT_PLAIN : javaScriptOf(parts.config).plainly(source, context);
      if (value !== NOT_PLAIN) return value;
      return engine.evaluate(
        source,
        context,
        wrapped ?? parts.config.get('application.scripting.js.wrapinmainfunction'),
        position,
      );
    }
    case 'other':
      throw placed(new ScriptError(500, `Scripts in ${language.name} cannot be run here.`), {
        title: context.title,
        position,
      });
  }
}

function warn(error: unknown, { run, title }: ScriptContext): void {
  // The main thread evaluates all of it.
  if (isElsewhere(error)) throw error;
  run.warn(failureText(error, title));
}

/** Dates in pages that are not formatted by a function. */
const PAGE_DATE = 'EEE MMM dd HH:mm:ss z yyyy';

/** A result in a page: one of blanks alone is nothing (docs/interface/scripting.md 7.3). */
function pageText(value: ScriptValue, context: ScriptContext): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) {
    return datePattern(PAGE_DATE).format(value.getTime(), zoneOf(context));
  }
  const text = textOf(value, context);
  return text.trim() === '' ? '' : text;
}
