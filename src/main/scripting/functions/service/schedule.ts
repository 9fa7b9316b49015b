/** Scripts that run later, by themselves (docs/interface/script-runtime.md 7.1): jobs of the instance, beside imports and archives. */
import { JobError, type JobControl } from '../../../files/index.js';
import { askerNow } from '../../../request/index.js';
import { SYSTEM, type Actor } from '../../../schema/index.js';
import type { Security } from '../../../security/index.js';
import { logger } from '../../../../shared/log.js';
import { fromJsonValue } from '../../language/conversion.js';
import { withConstants } from '../../run/context.js';
import { ScriptError } from '../../language/errors.js';
import { detailOf, jobFailure } from '../../run/failed-scripts.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { placeOf, placeText } from '../../language/place.js';
import { runText, type ScriptContext } from '../../run/run.js';
import type { Caller } from '../../run/caller.js';
import { Store } from '../../run/stores/stores.js';
import { ScriptCallable, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { indexOf, misused, optionalText } from '../../run/function/arguments.js';

const log = logger('scripting.schedule');

type Work = string | ScriptCallable;

/** Jobs of one user that have not ended. */
const MOST_OF_ONE = 100;
/** Texts run beside each other, functions one at a time: each of these keeps its isolate until then. */
const TEXT_LANES = ['script 1', 'script 2', 'script 3', 'script 4'] as const;
const FUNCTION_LANE = 'script function';
/** Part of all isolates that functions which wait may keep. */
const HELD_SHARE = 4;
const LONGEST_TITLE = 200;
/** Bytes of memory that a job may take over from the store of its creator. */
const MOST_OF_STORE = 16 * 1024 * 1024;
const UNTITLED = 'Untitled script job';

/** Isolates that wait for their functions to be run. */
let held = 0;

function workIn(value: ScriptValue | undefined): Work | undefined {
  return typeof value === 'string' || value instanceof ScriptCallable ? value : undefined;
}

const schedule: ScriptFunction = {
  name: 'schedule',
  signature: 'schedule(script [, title = "Untitled script job" [, onFinish]])',
  meaning:
    'Runs a script, a text or a function, once the changes of this one are committed: in a transaction of its own, with the rights that ' +
    'the user has then. `onFinish` runs after it, in another transaction, with `jobInfo`. Nothing is run when this script fails.',
  example: "schedule('log(42)', 'Say it later') // ",
  min: 1,
  max: 3,
  run(args, context) {
    const [script, title, finish = null] = args;
    const work = workIn(script);
    const onFinish = finish === null ? undefined : workIn(finish);
    if (work === undefined || (finish !== null && onFinish === undefined)) {
      return misused(this, 'needs a text or a function', context);
    }
    const name = optionalText(title, UNTITLED, context).slice(0, LONGEST_TITLE) || UNTITLED;
    const { run, actor } = context;
    if (openJobs(context, actor) + (waiting.get(run.transaction) ?? 0) >= MOST_OF_ONE) {
      throw new ScriptError(429, `${String(MOST_OF_ONE)} jobs of ${actor.name} have not ended; try again later.`);
    }
    // Nothing ends this transaction: what waits for that would wait for ever.
    run.transaction.refuseReading();
    const release = [work, onFinish].some((one) => one instanceof ScriptCallable) ? hold(context) : () => undefined;
    waiting.set(run.transaction, (waiting.get(run.transaction) ?? 0) + 1);
    run.transaction.onEnd((committed) => {
      if (!committed) {
        release();
        return;
      }
      try {
        submit({ work, onFinish, name, store: copiedStore(context) }, context, release);
      } catch (error) {
        release();
        log.warn(`${name} of ${actor.name} is not run: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
    return null;
  },
};

/** What the transaction of a run is to queue at its end. */
const waiting = new WeakMap<ScriptContext['run']['transaction'], number>();

function openJobs({ run }: ScriptContext, { id }: Actor): number {
  return run.parts.files.jobs.list(SYSTEM).filter((job) => !job.isOver && job.work.actor.id === id).length;
}

/** Throws `ScriptError` 503 when functions that wait keep too many isolates already. */
function hold(context: ScriptContext): () => void {
  const { parts, engine } = context.run;
  const most = Math.max(1, Math.floor(parts.config.get('application.scripting.js.isolates') / HELD_SHARE));
  if (held >= most) {
    throw new ScriptError(
      503,
      'Too many scheduled functions wait to be run; a script as text needs nothing meanwhile.',
    );
  }
  held++;
  const letGo = engine.hold(context);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    held--;
    letGo();
  };
}

/** What the job finds in its request store; what cannot be kept is left out. */
function copiedStore({ run }: ScriptContext): Store {
  const store = new Store('The store of the job', MOST_OF_STORE);
  for (const [key, value] of run.requestStore) {
    try {
      store.set(key, value);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      run.warn(`${key} is not handed on to a scheduled script: ${error.message}`);
    }
  }
  return store;
}

interface Scheduled {
  readonly work: Work;
  readonly onFinish: Work | undefined;
  readonly name: string;
  readonly store: Store;
}

function submit(one: Scheduled, context: ScriptContext, release: () => void): void {
  const { jobs } = context.run.parts.files;
  const isFunction = [one.work, one.onFinish].some((script) => script instanceof ScriptCallable);
  const lane = isFunction ? FUNCTION_LANE : emptiest(context);
  const { actor } = context;
  const job = jobs.submit({
    jobtype: 'SCRIPT',
    name: one.name,
    lane,
    actor,
    run: (control) => perform(one, context, control).then(() => undefined),
  });
  void job.ended.then(release);
}

/** The lane in which the fewest wait. */
function emptiest({ run }: ScriptContext): string {
  const open = run.parts.files.jobs.list(SYSTEM).filter((job) => !job.isOver);
  const count = (lane: string): number => open.filter((job) => job.lane === lane).length;
  return TEXT_LANES.reduce<string>((best, lane) => (count(lane) < count(best) ? lane : best), TEXT_LANES[0]);
}

async function perform(one: Scheduled, context: ScriptContext, { id, signal }: JobControl): Promise<void> {
  const { run, actor } = context;
  const { parts } = run;
  const caller = await callerNow(parts.security, actor);
  const { name } = one;
  const title = `job ${String(id)} (${name})`;
  const runOne = (work: Work, constants: Iterable<[string, ScriptValue]>): Promise<ScriptValue> =>
    parts.inTransaction(
      title,
      caller,
      (given) => {
        // Objects that the function has taken along from its script are read anew.
        run.entities.expire();
        const inside = withConstants(given, constants);
        for (const key of one.store.keys()) inside.run.requestStore.set(key, one.store.get(key, inside.run));
        return inside.run.engine.nested(inside, () =>
          work instanceof ScriptCallable ? work.call([], inside) : runText(work, inside),
        );
      },
      // A function goes on with the variables of its script.
      { locale: run.locale, signal, once: work instanceof ScriptCallable, door: 'job' },
    );
  const info: ScriptMap = new Map<string, ScriptValue>([
    ['jobId', BigInt(id)],
    ['jobtype', 'SCRIPT'],
    ['username', actor.name],
    ['status', 'FINISHED'],
    ['jobName', name],
  ]);
  let failure: unknown;
  try {
    await runOne(one.work, []);
  } catch (error) {
    if (signal.aborted) throw error;
    failure = error;
    info.set('status', 'FAILED');
    info.set(
      'exception',
      new Map<string, ScriptValue>([
        ['message', detailOf(error)],
        ['cause', null],
        ['stacktrace', `at ${placeText(placeOf(error) ?? { title })}`],
      ]),
    );
  }
  if (one.onFinish !== undefined) {
    await runOne(one.onFinish, [['jobInfo', info]]).catch((error: unknown) => {
      throw jobFailure(error, title);
    });
  }
  if (failure !== undefined) throw jobFailure(failure, title);
}

/** The rights of a user as they are now. Throws `JobError` when he is gone or blocked. */
async function callerNow(security: Security, asked: Actor): Promise<Caller> {
  const now = await askerNow(security, asked);
  if (now === undefined) throw new JobError(`The user ${asked.name} of this job is gone or blocked.`);
  return now;
}

const jobInfo: ScriptFunction = {
  name: 'jobInfo',
  signature: 'jobInfo(id)',
  meaning: 'Map that describes a job of the user that waits or runs; false when there is none.',
  example: 'jobInfo(1000000) // false',
  min: 1,
  max: 1,
  run(args, context) {
    if (args[0] === null) return null;
    const id = indexOf(args[0]);
    if (id === undefined) return misused(this, 'needs the number of a job', context);
    const job = context.run.parts.files.jobs.list(context.actor).find((one) => one.id === id && !one.isOver);
    return job === undefined ? false : fromJsonValue(job.info(true));
  },
};

const jobList: ScriptFunction = {
  name: 'jobList',
  signature: 'jobList()',
  meaning:
    'List of maps like those of `jobInfo`: the jobs that run, then those that wait; of all users for administrators.',
  example: 'size(jobList()) // 0',
  max: 0,
  run: (_args, { run, actor }) => {
    const open = run.parts.files.jobs.list(actor).filter((job) => !job.isOver);
    const [begun, queued] = [open.filter((job) => job.begun), open.filter((job) => !job.begun)];
    return [...begun, ...queued].map((job) => fromJsonValue(job.info(true)));
  },
};

export const scheduling: FunctionCategory = { title: 'Jobs', functions: [schedule, jobInfo, jobList] };
