/** Deployments of this instance, one at a time: each is a job that its user can look at and end (docs/interface/deployment.md 3.1). */
import { JobError, type Job, type JobControl } from '../../files/index.js';
import type { Actor } from '../../schema/index.js';
import { ScriptError } from '../../scripting/index.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/index.js';
import { exportApplication } from '../application/export.js';
import { importApplication, type DataOfExport } from '../application/import.js';
import type { DeploymentContext } from '../common/context.js';
import { exportData } from '../data/export.js';
import { checkData, importData, type DataImportOptions } from '../data/import.js';
import { ImportProgress } from '../data/progress.js';
import { DeploymentError, NotStarted } from '../common/errors.js';
import { Report } from '../common/report.js';
import { placeOf } from '../tree/places.js';
import { exportSync } from '../sync/export.js';
import { importSync } from '../sync/import.js';
import { checkSource, withSource } from '../tree/arrivals.js';
import type { ExportSource } from '../tree/source.js';
import { tidyTemporary } from '../tree/temporary.js';

const LANE = 'deployment';

export class Deployments {
  readonly #dataImports: ImportProgress;

  constructor(private readonly context: DeploymentContext) {
    this.#dataImports = new ImportProgress(context.graph);
  }

  /** Whether one has not ended yet. */
  get areActive(): boolean {
    return this.context.files.jobs.isBusy(LANE);
  }

  /** To be called once, when the server starts. */
  start(): void {
    void tidyTemporary();
  }

  /** Begins an export or import of the application: `mode`, `target` or `source`, `extendExistingApp`. Throws `DeploymentError`. */
  async application(actor: Actor, input: JsonObject): Promise<Job> {
    if (input['mode'] === 'export') return this.#exportApplication(actor, textIn(input, 'target'));
    if (input['mode'] !== 'import') throw new DeploymentError('The mode of deploy is export or import.', 'request');
    const extend = flagIn(input, 'extendExistingApp');
    return this.#importApplication(actor, arrivalIn(input), extend);
  }

  /** Begins an export or import of objects: `mode`, `target` and `types`, or `source` and flags. Throws `DeploymentError`. */
  async data(actor: Actor, input: JsonObject): Promise<Job> {
    if (input['mode'] === 'export') return this.#exportData(actor, textIn(input, 'target'), typesIn(input));
    if (input['mode'] !== 'import') throw new DeploymentError('The mode of deployData is export or import.', 'request');
    const options = {
      innerCallbacks: flagIn(input, 'doInnerCallbacks'),
      outerCallbacks: flagIn(input, 'doOuterCallbacks'),
      cascade: flagIn(input, 'doCascadingDelete'),
      actor,
    };
    return this.#importData(arrivalIn(input), options);
  }

  /** Begins an export or import of the graph. Throws `DeploymentError`. */
  async sync(actor: Actor, input: JsonObject): Promise<Job> {
    const said = textIn(input, 'file');
    const file = await placeOf(this.context.config, said);
    const query = queryIn(input);
    const mode = input['mode'];
    if (mode === 'import') {
      const options = { file, validate: flagIn(input, 'validate', true), batchSize: batchSizeIn(input), actor };
      if (query !== undefined) throw new DeploymentError('A query is for exports.', 'request');
      return this.#submit(actor, 'SYNC_IMPORT', said, async (report, job) => ({
        ...(await importSync(this.context, options, report, job)),
      }));
    }
    const options = { file, withFiles: mode === 'export', query };
    return this.#submit(actor, 'SYNC_EXPORT', said, async (report, job) => ({
      ...(await exportSync(this.context, options, report, job)),
    }));
  }

  async #exportData(actor: Actor, target: string, types: string): Promise<Job> {
    const directory = await placeOf(this.context.config, target);
    return this.#submit(actor, 'DEPLOYMENT_DATA_EXPORT', target, async (report, job) => {
      await exportData(this.context, directory, types, report, job);
    });
  }

  #importData(arrival: Arrival, options: DataImportOptions): Promise<Job> {
    return this.#import(
      options.actor,
      'DEPLOYMENT_DATA_IMPORT',
      arrival,
      'Data Deployment Import not started',
      async (source, report, job) => ({
        ...(await importData(this.context, this.#dataImports, source, options, report, job)),
      }),
    );
  }

  async #exportApplication(actor: Actor, target: string): Promise<Job> {
    const directory = await placeOf(this.context.config, target);
    return this.#submit(actor, 'DEPLOYMENT_EXPORT', target, (report, job) =>
      exportApplication(this.context, directory, report, job.signal),
    );
  }

  #importApplication(actor: Actor, arrival: Arrival, extend: boolean): Promise<Job> {
    return this.#import(actor, 'DEPLOYMENT_IMPORT', arrival, 'Deployment Import not started', (source, report, job) =>
      importApplication(
        this.context,
        source,
        { extend, actor, signal: job.signal, data: this.#dataOf(actor, job) },
        report,
      ),
    );
  }

  /** Objects that come with an application. */
  #dataOf(actor: Actor, job: JobControl): DataOfExport {
    const flags = { innerCallbacks: false, outerCallbacks: false, cascade: false, isChecked: true };
    return {
      check: (source, report) => within('data/', () => checkData(this.context, source, report, job)),
      write: (source, report) =>
        within('The application is imported, but not all of its data: data/', async () => ({
          ...(await importData(this.context, this.#dataImports, source, { ...flags, actor }, report, job)),
        })),
    };
  }

  /** Begins an import from wherever the export is. */
  async #import(
    actor: Actor,
    jobtype: string,
    { from, within }: Arrival,
    title: string,
    work: (source: ExportSource, report: Report, job: JobControl) => Promise<JsonObject | void>,
  ): Promise<Job> {
    const { config } = this.context;
    const told = await checkSource(config, from);
    return this.#submit(actor, jobtype, told, (report, job) =>
      withSource({ config, from, within, title, signal: job.signal }, (source) => work(source, report, job)),
    );
  }

  /** Puts a deployment into its lane. Throws `DeploymentError` while another one has not ended. */
  #submit(
    actor: Actor,
    jobtype: string,
    path: string,
    run: (report: Report, job: JobControl) => Promise<JsonObject | void>,
  ): Job {
    const { jobs } = this.context.files;
    if (jobs.isBusy(LANE))
      throw new DeploymentError('Another deployment has not ended yet; this one was not started.', 'request');
    return jobs.submit({
      jobtype,
      lane: LANE,
      actor,
      file: { path },
      run: async (job): Promise<JsonValue> => {
        const report = new Report(jobtype, job);
        let counts: JsonObject | void;
        try {
          counts = await run(report, job);
        } catch (error) {
          // The job knows of neither.
          if (error instanceof DeploymentError || error instanceof ScriptError)
            throw new JobError(error.message, [], { cause: error });
          if (!(error instanceof NotStarted)) throw error;
          report.warn(error.title, error.message);
          return { ...report.info(), refused: `${error.title}: ${error.message}` };
        }
        return { ...counts, ...report.info() };
      },
    });
  }
}

/** Why a deployment that has ended has not begun its work; undefined: it has done it. */
export function refusalOf({ result }: Job): string | undefined {
  const refused = isJsonObject(result) ? result['refused'] : undefined;
  return typeof refused === 'string' ? refused : undefined;
}

/** An error of the export says more of its place. */
async function within<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DeploymentError || error instanceof NotStarted)
      throw new DeploymentError(prefix + error.message, 'source', { cause: error });
    throw error;
  }
}

/** Where the export is that an import names. */
interface Arrival {
  readonly from: string;
  readonly within: string;
}

function arrivalIn(input: JsonObject): Arrival {
  const within = input['zipContentPath'] ?? '';
  if (typeof within !== 'string')
    throw new DeploymentError('The parameter "zipContentPath" must be text: a folder of the archive.', 'request');
  return { from: textIn(input, 'source'), within };
}

function textIn(input: JsonObject, key: string): string {
  const value = input[key];
  if (typeof value === 'string' && value !== '') return value;
  throw new DeploymentError(
    `The parameter "${key}" is missing: the absolute path of a directory of the server.`,
    'request',
  );
}

function queryIn(input: JsonObject): string | undefined {
  const value = input['query'];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new DeploymentError('The parameter "query" must be a text.', 'request');
}

function batchSizeIn(input: JsonObject): number {
  const value = input['batchSize'] ?? 200;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 100_000) return value;
  throw new DeploymentError('The parameter "batchSize" must be an integer from 1 to 100000.', 'request');
}

function typesIn(input: JsonObject): string {
  const value = input['types'];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new DeploymentError('The parameter "types" is missing: names of types, with commas between.', 'request');
}

function flagIn(input: JsonObject, key: string, fallback = false): boolean {
  const value = input[key];
  if (value === undefined || value === null) return fallback;
  if (value === false || value === 'false') return false;
  if (value === true || value === 'true') return true;
  throw new DeploymentError(`The parameter "${key}" must be true or false.`, 'request');
}
