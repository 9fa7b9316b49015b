/** `CronService`: functions of users that run on a schedule, on one instance of all (docs/interface/operations.md 5.2). */
import { Cron as Schedule } from 'croner';
import type { Cluster } from '../cluster/index.js';
import type { Config } from '../config/index.js';
import { ALLOW_ALL, SYSTEM, type SchemaService } from '../schema/index.js';
import type { Scripting } from '../scripting/index.js';
import { happened } from '../../shared/happened.js';
import { logger } from '../../shared/log.js';
import { cronProblem } from './cron-problem.js';
import type { Running } from './service.js';

const log = logger('services.cron');

interface Task {
  /** A user-defined function, or `Type.method`, which is static. */
  readonly name: string;
  readonly expression: string;
  running: number;
}

export interface CronParts {
  readonly config: Config;
  readonly schemas: SchemaService;
  readonly scripting: Scripting;
  readonly cluster: Cluster;
}

export class Cron implements Running {
  #end: (() => void) | undefined;

  constructor(private readonly parts: CronParts) {}

  /** Reads the tasks, and runs them while this instance is the one that does what must be done once. */
  start(): void {
    const { config, cluster } = this.parts;
    const tasks = tasksOf(config);
    if (tasks.length === 0) return;
    for (const { name, expression } of tasks) log.info(`the task ${name} runs at ${expression}`);
    const timezone = config.get('application.timezone');
    this.#end = cluster.onCoordinator((signal) => {
      const schedules = tasks.map(
        (task) =>
          new Schedule(task.expression, { ...(timezone === '' ? {} : { timezone }), unref: true }, () => {
            void this.#run(task);
          }),
      );
      signal.addEventListener('abort', () => {
        for (const schedule of schedules) schedule.stop();
      });
    });
  }

  /** Begins no more runs; those on their way end by themselves. */
  stop(): void {
    this.#end?.();
    this.#end = undefined;
  }

  /** Never rejects: what goes wrong is logged, with the time it took. */
  async #run(task: Task): Promise<void> {
    const { name } = task;
    const { config, schemas, scripting } = this.parts;
    if (task.running > 0 && !config.get('cronservice.allowparallelexecution')) {
      log.warn(`the task ${name} is left out this time: its last run has not ended`);
      return;
    }
    task.running++;
    happened('Cron', name);
    const since = performance.now();
    const outcome = await scripting.inBackground(
      `cron task ${name}`,
      { actor: SYSTEM, access: ALLOW_ALL },
      async (context) => {
        const [first = '', method, ...more] = name.split('.');
        const { engine } = scripting;
        if (method === undefined) return engine.callFunction(first, [], context);
        const type = schemas.schema.type(first);
        if (type === undefined || more.length > 0) throw new Error(`there is no method ${name}`);
        return engine.callMethod(type, method, [], context);
      },
      false,
      'job',
    );
    task.running--;
    const took = `${String(Math.round(performance.now() - since))} ms`;
    log.info(`the task ${name} ${outcome ? 'ended' : 'failed'} after ${took}`);
  }
}

/** What `CronService.tasks` names; what makes no sense is logged and left out. */
function tasksOf(config: Config): readonly Task[] {
  const tasks: Task[] = [];
  for (const name of config.get('cronservice.tasks').split(/\s+/)) {
    if (name === '') continue;
    const expression = expressionOf(config, name);
    const problem = expression === undefined ? `there is no setting ${name}.cronExpression` : cronProblem(expression);
    if (expression === undefined || problem !== undefined) log.warn(`the task ${name} is left out: ${problem ?? ''}`);
    else tasks.push({ name, expression, running: 0 });
  }
  return tasks;
}

/** The key keeps its case in the file; environment names have none. */
function expressionOf(config: Config, name: string): string | undefined {
  const wanted = `${name}.cronExpression`;
  const dynamic = config.dynamic();
  const exact = dynamic.get(wanted);
  if (exact !== undefined) return exact.trim();
  for (const [key, text] of dynamic) if (key.toLowerCase() === wanted.toLowerCase()) return text.trim();
  return undefined;
}
