/** Files become the application, which replaces the one that is there: all of it, in one transaction (docs/interface/deployment.md 3). */
import type { Origin } from '../../graph/index.js';
import { ALLOW_ALL, SYSTEM, type Actor } from '../../schema/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { DeploymentContext } from '../common/context.js';
import { NotStarted } from '../common/errors.js';
import type { Report } from '../common/report.js';
import { runScript } from '../tree/scripts.js';
import type { ExportSource } from '../tree/source.js';
import { checkConfiguration } from './configuration.js';
import { PrincipalNames } from '../tree/principal-names.js';
import type { Importing, ReadingExport, Section, SectionWork } from './section.js';
import { MARKS, SECTIONS } from './table.js';

const TITLE = 'Deployment Import not started';
const PAGES = ['pages', 'components', 'templates'];

export interface ImportOptions {
  readonly extend: boolean;
  readonly actor: Actor;
  readonly signal: AbortSignal;
  readonly data: DataOfExport;
}

/** Objects that come with an application, in its folder `data/`: they are imported as a data export is, when the application is there. */
export interface DataOfExport {
  /** Whether a folder holds objects; all files of it are checked. Throws `DeploymentError`. */
  readonly check: (source: ExportSource, report: Report) => Promise<boolean>;
  /** Answers counts. */
  readonly write: (source: ExportSource, report: Report) => Promise<JsonObject>;
}

/** Answers counts of the data in it, and `pause`: milliseconds for which requests that read waited for its commit, at most. Throws `NotStarted` for what is no export for this instance, `DeploymentError` and `SchemaError` for one that cannot be imported: nothing has changed then. */
export async function importApplication(
  context: DeploymentContext,
  source: ExportSource,
  { extend, actor, signal, data }: ImportOptions,
  report: Report,
): Promise<JsonObject> {
  await mustBeExport(source);
  report.begin('deployment.conf');
  const { flagsOfParent } = await checkConfiguration(source, context.config, context.version, report);
  await runScript(context, source, 'pre-deploy.conf', report, signal);
  signal.throwIfAborted();
  const endings: ((committed: boolean) => Promise<void> | void)[] = [];
  let [committed, pause] = [false, 0];
  let brought: ExportSource | undefined;
  try {
    const reading: ReadingExport = {
      context,
      source,
      report,
      extend,
      replacesPages: !extend && (await saysAllPages(source)),
      flagsOfParent,
      signal,
      afterwards: (work) => endings.push(work),
    };
    const works: [Section, SectionWork][] = [];
    for (const section of SECTIONS) {
      signal.throwIfAborted();
      report.begin(`Reading ${section.title}`);
      const work = await section.read(reading);
      if (work !== undefined) works.push([section, work]);
    }
    brought = await source.within('data');
    if (brought !== undefined && !(await data.check(brought, report))) brought = undefined;
    if (!flagsOfParent && (await entriesOfPages(source)) > 0)
      report.warn(
        'Deprecation Notice',
        'The export is of an older form: all nodes have the visibility of their page or component (visibility-flags-relative-to).',
      );
    pause = await write(context, works, actor, report, signal);
    committed = true;
  } finally {
    for (const end of endings) await end(committed);
  }
  const counts = brought === undefined ? {} : await data.write(brought, report);
  await runScript(context, source, 'post-deploy.conf', report, signal);
  await migrate(context, signal, report);
  return { ...counts, pause: Math.round(pause) };
}

/** The application is there already, whatever becomes of it. */
async function migrate({ migrations }: DeploymentContext, signal: AbortSignal, report: Report): Promise<void> {
  report.begin('Migrations');
  try {
    await migrations.afterImport(signal);
  } catch (error) {
    report.warn('Migrations not finished', error instanceof Error ? error.message : String(error));
  }
}

/** What all sections do, as one transaction; milliseconds for which requests waited for its commit. */
async function write(
  { graph, schemas, write, standstill }: DeploymentContext,
  works: readonly (readonly [Section, SectionWork])[],
  actor: Actor,
  report: Report,
  signal: AbortSignal,
): Promise<number> {
  const reason = 'application import';
  const origin: Origin = { door: 'deployment', userId: actor.id, userName: actor.name, reason };
  let principals = new PrincipalNames();
  let pause = 0;
  const still = async (): Promise<() => void> => {
    const [goOn, over] = await Promise.all([standstill.begin(), graph.stillness?.ask()]);
    return () => {
      over?.();
      pause = goOn();
    };
  };
  const all = (step: keyof SectionWork, verb: string) => async (objects: Importing['objects']) => {
    for (const [section, work] of works) {
      signal.throwIfAborted();
      if (work[step] === undefined) continue;
      report.begin(`${verb} ${section.title}`);
      await work[step]({ objects, principals, report });
    }
  };
  const create = all('create', 'Making');
  const connect = all('connect', 'Linking');
  await schemas.writeStages(
    SYSTEM,
    ALLOW_ALL,
    { ...write(), door: 'deployment', reason },
    [
      async (objects) => {
        // It may begin anew.
        principals = new PrincipalNames();
        await all('remove', 'Removing')(objects);
      },
      all('define', 'Changing'),
      async (objects) => {
        await create(objects);
        await connect(objects);
      },
    ],
    origin,
    { isOver: () => signal.aborted, still },
  );
  principals.tell(report);
  return pause;
}

async function mustBeExport(source: ExportSource): Promise<void> {
  for (const mark of MARKS) {
    const file = await source.open(mark);
    if (file === undefined) continue;
    await file.handle.close();
    return;
  }
  if ((await source.list('schema')) !== undefined) return;
  throw new NotStarted(TITLE, 'The directory holds no application export: it has none of the files of one.');
}

/** Whether all that is there of pages goes: the export has the three folders, and something in their lists. */
async function saysAllPages(source: ExportSource): Promise<boolean> {
  for (const name of PAGES) if ((await source.list(name)) === undefined) return false;
  return (await entriesOfPages(source)) > 0;
}

async function entriesOfPages(source: ExportSource): Promise<number> {
  let entries = 0;
  for (const name of PAGES) entries += (await source.objects(`${name}.json`))?.size ?? 0;
  return entries;
}
