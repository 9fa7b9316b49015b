/** What threads do with documents: their text (docs/design/media.md 7). */
import { outcomeOf, type Outcome } from '../../outcome.js';
import { cleaned } from './clean.js';
import type { Budget, Format, Reading } from './format.js';
import { languageOf } from './language.js';
import type { OcrSettings } from './ocr.js';
import { Enough, TextSink } from './sink.js';
import { sourceAt, type Source } from './source.js';
import { FORMATS } from './table.js';

export interface TextJob {
  /** Where the content lies on this machine. */
  readonly path: string;
  /** Of the file. */
  readonly name: string;
  readonly contentType: string;
  /** Characters of text that are kept. */
  readonly most: number;
  /** Absent: text in images is not looked for. */
  readonly ocr?: OcrSettings;
}

export interface TextResult {
  /** The format's name; absent: there is no text in it. */
  readonly format?: string;
  readonly text: string;
  /** Of BCP 47. */
  readonly language?: string;
  /** What is wrong with the part that could not be read. */
  readonly problem?: string;
}

/** What a document may unpack to, and how many files may be in it and in those. */
const UNPACKED = 200 * 1024 * 1024;
const ENTRIES = 2000;
/** Documents in each other. */
const DEEPEST = 4;
/** What is cleaned away is not kept: of so many times as much something is left. */
const RAW = 2;

/** Answers the text, or what is wrong with the document. */
export default function work(job: TextJob): Promise<Outcome<TextResult>> {
  return outcomeOf(async () => {
    const source = await sourceAt(job.path, job.name, job.contentType);
    if (source.size === 0) return { text: '', format: 'text' };
    const sink = new TextSink(job.most * RAW);
    const budget: Budget = { unpacked: UNPACKED, entries: ENTRIES, recognised: job.ocr?.pages ?? 0 };
    const format = formatOf(source);
    if (format === undefined) return { text: '' };
    let problem: string | undefined;
    try {
      await format.read(source, readingOf({ sink, budget, ocr: job.ocr }));
    } catch (error) {
      if (!(error instanceof Enough)) {
        // What could be read of it is worth something.
        if (sink.length === 0) throw error;
        problem = error instanceof Error ? error.message : String(error);
      }
    }
    const text = cleaned(sink.text()).slice(0, job.most).toWellFormed();
    const language = await languageOf(text);
    return {
      format: format.name,
      text,
      ...(language === undefined ? {} : { language }),
      ...(problem === undefined ? {} : { problem }),
    };
  });
}

function formatOf(source: Source): Format | undefined {
  return FORMATS.find((format) => format.is(source));
}

/** `depth`: how deep the document lies in others. */
function readingOf(shared: Omit<Reading, 'within'>, depth = 0): Reading {
  const within = async (source: Source): Promise<void> => {
    if (depth >= DEEPEST || source.size === 0) return;
    try {
      await formatOf(source)?.read(source, readingOf(shared, depth + 1));
    } catch (error) {
      if (error instanceof Enough || shared.budget.unpacked < 0) throw error;
    }
  };
  return { ...shared, within };
}
