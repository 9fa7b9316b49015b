/** Rows of a CSV file become objects or relationships (docs/interface/imports.md 3.1). */
import type { GraphNode } from '../../../graph/index.js';
import type { Actor } from '../../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { sizeOf } from '../../content/place.js';
import type { FilesContext } from '../../context.js';
import { FilesError } from '../../errors.js';
import { JobError, type Job, type JobControl } from '../../jobs/job.js';
import { needsUser, rightsNow } from '../../jobs/rights.js';
import { mayCreate, writeBatch } from '../batch.js';
import { csvFormat, csvHeader, csvRows, type CsvFormat } from './csv-reader.js';
import { rangeOf, type RowRange } from './csv-range.js';
import { rowWriter, type RowWriter } from './csv-writer.js';
import { flag } from '../parameters.js';
import { finishing, scriptsOf, transformed, TransformError, type ScriptsOfImport } from '../scripts.js';
import { explained, fileNow, pathOfFile } from '../source.js';
import { refuseEvaluated } from '../../serve/templates.js';

const COMMIT_INTERVAL = 1000;
const MOST_PER_COMMIT = 100_000;
/** Characters of one transaction, however few rows have them. */
const BATCH_SIZE = 4 * 1024 * 1024;

interface Settings {
  readonly format: CsvFormat;
  readonly range: RowRange;
  readonly ignoreInvalid: boolean;
  readonly commitInterval: number;
  readonly input: JsonObject;
  readonly scripts: ScriptsOfImport;
}

/** Begins to import a file, which the actor may read; the job. Throws `FilesError` for parameters that make no sense. */
export async function startCsvImport(
  context: FilesContext,
  asked: Actor,
  file: GraphNode,
  input: JsonObject,
): Promise<Job> {
  needsUser(asked);
  refuseEvaluated(file);
  const { actor, access } = await rightsNow(context, asked);
  const scripts = await scriptsOf(context, actor, input);
  const settings = settingsOf(input, scripts);
  const header = await csvHeader(context.contents.read(file), settings.format);
  if (header === undefined) throw new FilesError(422, 'The file is empty: its first row names the columns.');
  // What is wrong with the mappings is told at once.
  const writer = rowWriter(context.schemas.schema, input, header, settings.ignoreInvalid, scripts.transforms);
  await mayCreate(context, actor, writer.types);
  const path = await pathOfFile(context, file, access);
  return context.jobs.submit({
    jobtype: 'CSV',
    actor,
    file: { id: file.id, path, size: sizeOf(file) },
    run: (job) => importRows(context, actor, file, settings, job),
    after: finishing(context, actor, scripts),
  });
}

function settingsOf(input: JsonObject, scripts: ScriptsOfImport): Settings {
  return {
    format: csvFormat(input),
    range: rangeOf(input['range']),
    ignoreInvalid: flag(input, 'ignoreInvalid'),
    commitInterval: intervalOf(input['commitInterval']),
    input,
    scripts,
  };
}

function intervalOf(value: JsonValue | undefined): number {
  const number = Number(value ?? COMMIT_INTERVAL);
  if (Number.isInteger(number) && number >= 1 && number <= MOST_PER_COMMIT) return number;
  throw new FilesError(400, `The parameter "commitInterval" must be a number from 1 to ${String(MOST_PER_COMMIT)}.`);
}

async function importRows(
  context: FilesContext,
  asked: Actor,
  file: GraphNode,
  { format, range, ignoreInvalid, commitInterval, input, scripts }: Settings,
  job: JobControl,
): Promise<undefined> {
  const now = await fileNow(context, asked, file);
  let writer: RowWriter | undefined;
  let batch: ReturnType<RowWriter['item']>[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    await job.checkpoint();
    if (writer !== undefined) await writeBatch(context, job, asked, batch, writer);
    batch = [];
    size = 0;
  };
  const leaveOut = (error: JobError): void => {
    if (!ignoreInvalid) throw error;
    job.problem(error.message);
    job.ignored(1);
  };
  /** What the scripts say of a row; undefined: it is left out. */
  const resultsOf = async (
    { transforms }: RowWriter,
    name: string,
    values: readonly string[],
  ): Promise<readonly JsonValue[] | undefined> => {
    if (transforms.length === 0) return [];
    await job.checkpoint();
    const cells = transforms.map(({ source, column }) => ({ source, input: values[column] ?? '' }));
    try {
      return await transformed(context, asked, name, cells, job.signal);
    } catch (error) {
      if (!(error instanceof TransformError)) throw error;
      leaveOut(error);
      return undefined;
    }
  };
  try {
    for await (const row of csvRows(context.contents.read(now, { from: 0, to: sizeOf(now) }, job.signal), format)) {
      if (row.row === 0) {
        if (row.problem !== undefined) throw new JobError(`The header ${row.problem}.`);
        writer = rowWriter(context.schemas.schema, input, row.values, ignoreInvalid, scripts.transforms);
        continue;
      }
      if (row.row > range.last) break;
      if (!range.has(row.row)) continue;
      const name = `Row ${String(row.row)} (line ${String(row.line)})`;
      if (row.problem !== undefined) {
        leaveOut(new JobError(`${name} ${row.problem}.`));
        continue;
      }
      if (writer === undefined) continue;
      const results = await resultsOf(writer, name, row.values);
      if (results === undefined) continue;
      batch.push(writer.item(name, row.values, results));
      size += row.values.reduce((sum, value) => sum + value.length, 0) + sizeOfJson(results);
      if (batch.length >= commitInterval || size >= BATCH_SIZE) await flush();
    }
    await flush();
  } catch (error) {
    throw await explained(context, now, error);
  }
  return undefined;
}

/** About as many characters as it takes. */
function sizeOfJson(value: JsonValue | readonly JsonValue[]): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 8;
  return Object.entries(value).reduce((sum, [key, one]) => sum + key.length + sizeOfJson(one), 8);
}
