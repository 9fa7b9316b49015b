/**
 * HTML of texts in Markdown and other formats, and of what users without administrators' rights have written (docs/interface/pages.md 3.3, 3.5). Made on
 * threads: it takes long, and some of these texts come from strangers.
 */
import type { Config } from '../../config/index.js';
import { ScriptError, ScriptThreads, SizedCache, type Awaitable } from '../../scripting/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { logger } from '../../../shared/log.js';
import type { Dialect, MarkupItem, MarkupJob } from '../../../workers/html/markup.js';
import type { Outcome } from '../../../workers/outcome.js';
import { escapeText } from '../model/tags.js';

export type { Dialect, MarkupItem };

const log = logger('pages.formats');

/** Characters of one text. */
const MOST_TEXT = 1024 * 1024;
/** Characters that one text may become. */
const LONGEST = 8 * 1024 * 1024;
/** Characters, and texts, that a thread gets at once. */
const MOST_AT_ONCE = 64 * 1024;
const FEW = 200;
/** Milliseconds for these, and for all texts of a tree. */
const TIME = 10_000;
const TREE_TIME = 30_000;
/** Work that waits for a thread. */
const MOST_WAITING = 5000;
/** Characters of results of scripts whose HTML is kept. */
const MOST_KEPT = 2 * 1024 * 1024;
/** What became of a text must not take much more room than the text. */
const LONGEST_KEPT = 4;

/** By content type. */
const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['text/markdown', 'markdown'],
  ['text/asciidoc', 'asciidoc'],
  ['text/textile', 'textile'],
  ['text/mediawiki', 'mediawiki'],
  ['text/confluence', 'confluence'],
  ['text/tracwiki', 'tracwiki'],
]);

/** The format of a content type that is no HTML; undefined: it is shown as it is. */
export function dialectOf(contentType: string): Dialect | undefined {
  return DIALECTS.get(contentType);
}

/** The texts of a tree that are not shown as they are, with their HTML. */
export class Conversions {
  readonly #made = new Map<string, string>();

  set(item: MarkupItem, html: string): void {
    this.#made.set(keyOf(item), html);
  }

  has(item: MarkupItem): boolean {
    return this.#made.has(keyOf(item));
  }

  /** What could not be converted is shown as the text that it is. */
  get(item: MarkupItem): string {
    return this.#made.get(keyOf(item)) ?? asText(item.text);
  }
}

function keyOf({ dialect, text, cleaned }: MarkupItem): string {
  return `${dialect} ${String(cleaned)} ${text}`;
}

function asText(text: string): string {
  return escapeText(text).replaceAll('\n', '<br>');
}

export class Formats {
  readonly #threads: ScriptThreads;
  readonly #known = new SizedCache<string>(MOST_KEPT);

  constructor(private readonly config: Config) {
    this.#threads = new ScriptThreads(config, MOST_WAITING);
  }

  /** Converts the texts of a tree. What cannot be is shown as text, and logged. `title`: of the tree. */
  async convertAll(items: Iterable<MarkupItem>, title: string): Promise<Conversions> {
    const made = new Conversions();
    const problems = new Set<string>();
    const refuse = (item: MarkupItem, problem: string): void => {
      made.set(item, asText(item.text));
      problems.add(problem);
    };
    const end = performance.now() + TREE_TIME;
    for (const batch of batchesOf(await wantedOf(items, made, refuse))) {
      if (performance.now() > end) {
        for (const item of batch) refuse(item, TOO_MUCH);
        continue;
      }
      let outcomes: readonly Outcome<string>[];
      try {
        outcomes = await this.#run(batch);
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        // Which of them takes too much is found out one by one.
        outcomes = await this.#oneByOne(batch, end);
      }
      batch.forEach((item, i) => {
        const outcome = outcomes[i] ?? { problem: 'it was not converted' };
        if ('value' in outcome) made.set(item, outcome.value);
        else refuse(item, outcome.problem);
      });
    }
    for (const problem of problems) log.warn(`${title}: a text is shown as it is written: ${problem}`);
    return made;
  }

  /** HTML of a result of a script, which may be of anybody: nothing that runs is in it. Throws `ScriptError` 422. */
  convert(dialect: Dialect, text: string): Awaitable<string> {
    if (text.trim() === '') return '';
    const key = `${dialect} ${text}`;
    return this.#known.get(key) ?? this.#converted({ dialect, text, cleaned: true }, key);
  }

  async #converted(item: MarkupItem, key: string): Promise<string> {
    if (item.text.length > MOST_TEXT) throw new ScriptError(422, TOO_LONG);
    const [outcome = { problem: 'it was not converted' }] = await this.#run([item]);
    if ('problem' in outcome) throw new ScriptError(422, `A result is no ${item.dialect}: ${outcome.problem}`);
    if (outcome.value.length <= key.length * LONGEST_KEPT) this.#known.set(key, outcome.value);
    return outcome.value;
  }

  async #oneByOne(items: readonly MarkupItem[], end: number): Promise<Outcome<string>[]> {
    const outcomes: Outcome<string>[] = [];
    for (const item of items) {
      if (performance.now() > end) {
        outcomes.push({ problem: TOO_MUCH });
        continue;
      }
      try {
        outcomes.push(...(await this.#run([item])));
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        outcomes.push({ problem: error.message });
      }
    }
    return outcomes;
  }

  #run(items: readonly MarkupItem[]): Promise<Outcome<string>[]> {
    const run = { begun: performance.now(), parts: { config: this.config }, options: {} };
    const job: MarkupJob = { items, longest: LONGEST };
    return this.#threads.run<string>('html/markup', job, 'The conversion of a text', {
      run,
      time: TIME,
    }) as unknown as Promise<Outcome<string>[]>;
  }
}

const TOO_MUCH = `all texts together take longer than ${String(TREE_TIME / 1000)} s`;
const TOO_LONG = `it has more than ${String(MOST_TEXT)} characters`;

/** The texts that a thread has to convert, each once. */
async function wantedOf(
  items: Iterable<MarkupItem>,
  made: Conversions,
  refuse: (item: MarkupItem, problem: string) => void,
): Promise<Iterable<MarkupItem>> {
  const slice = new TimeSlice();
  const wanted = new Map<string, MarkupItem>();
  for (const item of items) {
    if (item.text.trim() === '') made.set(item, '');
    else if (item.text.length > MOST_TEXT) refuse(item, TOO_LONG);
    else wanted.set(keyOf(item), item);
    if (slice.due) await slice.pause();
  }
  return wanted.values();
}

/** As many as a thread takes at once. */
function* batchesOf(items: Iterable<MarkupItem>): Generator<readonly MarkupItem[]> {
  let batch: MarkupItem[] = [];
  let size = 0;
  for (const item of items) {
    if (batch.length >= FEW || (batch.length > 0 && size + item.text.length > MOST_AT_ONCE)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(item);
    size += item.text.length;
  }
  if (batch.length > 0) yield batch;
}
