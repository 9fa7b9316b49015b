/** Deployments of this instance, one at a time: each is a job that its user can look at and end (docs/interface/deployment.md 3.1). */
import type { Job, JobControl } from '../files/index.js';
import type { Actor } from '../schema/index.js';
import type { JsonObject, JsonValue } from '../../shared/json.js';
import { exportApplication } from './application/export.js';
import { importApplication } from './application/import.js';
import type { DeploymentContext } from './context.js';
import { DeploymentError, NotStarted } from './errors.js';
import { Report } from './report.js';
import { placeOf } from './tree/places.js';
import { ExportSource } from './tree/source.js';

const LANE = 'deployment';

export class Deployments {
  constructor(private readonly context: DeploymentContext) {}

  /** Begins an export or import of the application: `mode`, `target` or `source`, `extendExistingApp`. Throws `DeploymentError`. */
  async application(actor: Actor, input: JsonObject): Promise<Job> {
    if (input['mode'] === 'export') return this.#exportApplication(actor, textIn(input, 'target'));
    if (input['mode'] !== 'import') throw new DeploymentError('The mode of deploy is export or import.', 'request');
    const extend = flagIn(input, 'extendExistingApp');
    return this.#importApplication(actor, textIn(input, 'source'), extend);
  }

  async #exportApplication(actor: Actor, target: string): Promise<Job> {
    const directory = await placeOf(this.context.config, target);
    return this.#submit(actor, 'DEPLOYMENT_EXPORT', target, (report, job) =>
      exportApplication(this.context, directory, report, job.signal),
    );
  }

  async #importApplication(actor: Actor, from: string, extend: boolean): Promise<Job> {
    const directory = await placeOf(this.context.config, from);
    return this.#submit(actor, 'DEPLOYMENT_IMPORT', from, async (report, job) => {
      const source = await sourceAt(directory, from);
      await importApplication(this.context, source, { extend, actor, signal: job.signal }, report);
    });
  }

  /** Puts a deployment into its lane. Throws `DeploymentError` while another one has not ended. */
  #submit(actor: Actor, jobtype: string, path: string, run: (report: Report, job: JobControl) => Promise<void>): Job {
    const { jobs } = this.context.files;
    if (jobs.isBusy(LANE))
      throw new DeploymentError('Another deployment has not ended yet; this one was not started.', 'request');
    return jobs.submit({
      jobtype,
      lane: LANE,
      actor,
      file: { path },
      run: async (job): Promise<JsonValue> => {
        const report = new Report(jobtype);
        try {
          await run(report, job);
        } catch (error) {
          if (!(error instanceof NotStarted)) throw error;
          report.warn(error.title, error.message);
          return { ...report.info(), refused: `${error.title}: ${error.message}` };
        }
        return report.info();
      },
    });
  }
}

async function sourceAt(directory: string, said: string): Promise<ExportSource> {
  const title = 'Deployment Import not started';
  let source: ExportSource;
  try {
    source = await ExportSource.at(directory);
  } catch {
    throw new NotStarted(title, `The source directory ${said} does not exist.`);
  }
  if ((await source.list()) === undefined) throw new NotStarted(title, `The source ${said} is no directory.`);
  return source;
}

function textIn(input: JsonObject, key: string): string {
  const value = input[key];
  if (typeof value === 'string' && value !== '') return value;
  throw new DeploymentError(
    `The parameter "${key}" is missing: the absolute path of a directory of the server.`,
    'request',
  );
}

function flagIn(input: JsonObject, key: string): boolean {
  const value = input[key];
  if (value === undefined || value === null || value === false || value === 'false') return false;
  if (value === true || value === 'true') return true;
  throw new DeploymentError(`The parameter "${key}" must be true or false.`, 'request');
}
