/** Rows of a CSV file become objects or relationships (files.md 13.1). */
import type { GraphNode } from '../../graph/index.js';
import type { Actor } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json.js';
import { sizeOf } from '../content.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import { JobError, type Job, type JobControl } from '../jobs/job.js';
import { needsUser, rightsNow } from '../jobs/rights.js';
import { mayCreate, writeBatch } from './batch.js';
import { csvFormat, csvHeader, csvRows, type CsvFormat } from './csv-reader.js';
import { rangeOf, type RowRange } from './csv-range.js';
import { rowWriter, type RowWriter } from './csv-writer.js';
import { flag, needsNoScripts } from './parameters.js';
import { explained, fileNow, pathOfFile } from './source.js';

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
}

/** Begins to import a file, which the actor may read; the job. Throws `FilesError` for parameters that make no sense. */
export async function startCsvImport(
  context: FilesContext,
  asked: Actor,
  file: GraphNode,
  input: JsonObject,
): Promise<Job> {
  needsUser(asked);
  const settings = settingsOf(input);
  const header = await csvHeader(context.contents.read(file), settings.format);
  if (header === undefined) throw new FilesError(422, 'The file is empty: its first row names the columns.');
  // What is wrong with the mappings is told at once.
  const writer = rowWriter(context.schemas.schema, input, header, settings.ignoreInvalid);
  const { actor } = await rightsNow(context, asked);
  await mayCreate(context, actor, writer.types);
  const path = await pathOfFile(context, file);
  return context.jobs.submit({
    jobtype: 'CSV',
    actor,
    file: { id: file.id, path, size: sizeOf(file) },
    run: (job) => importRows(context, actor, file, settings, job),
  });
}

function settingsOf(input: JsonObject): Settings {
  needsNoScripts(input);
  return {
    format: csvFormat(input),
    range: rangeOf(input['range']),
    ignoreInvalid: flag(input, 'ignoreInvalid'),
    commitInterval: intervalOf(input['commitInterval']),
    input,
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
  { format, range, ignoreInvalid, commitInterval, input }: Settings,
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
  try {
    for await (const row of csvRows(context.contents.read(now, { from: 0, to: sizeOf(now) }, job.signal), format)) {
      if (row.row === 0) {
        if (row.problem !== undefined) throw new JobError(`The header ${row.problem}.`);
        writer = rowWriter(context.schemas.schema, input, row.values, ignoreInvalid);
        continue;
      }
      if (row.row > range.last) break;
      if (!range.has(row.row)) continue;
      const name = `Row ${String(row.row)} (line ${String(row.line)})`;
      if (row.problem !== undefined) {
        const message = `${name} ${row.problem}.`;
        if (!ignoreInvalid) throw new JobError(message);
        job.problem(message);
        job.ignored(1);
        continue;
      }
      if (writer === undefined) continue;
      batch.push(writer.item(name, row.values));
      size += row.values.reduce((sum, value) => sum + value.length, 0);
      if (batch.length >= commitInterval || size >= BATCH_SIZE) await flush();
    }
    await flush();
  } catch (error) {
    throw await explained(context, now, error);
  }
  return undefined;
}
