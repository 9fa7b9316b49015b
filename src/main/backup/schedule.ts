/** Backups by `backup.schedule`: a process of its own each time, on the instance that does what must be done once. */
import { spawn, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { Cron } from 'croner';
import type { Cluster } from '../cluster/index.js';
import type { Config } from '../config/index.js';
import { cronProblem } from '../services/index.js';
import { logger } from '../../shared/log.js';

const log = logger('backup');
/** Requests go first. */
const NICE = 10;
const LONGEST_LINE = 2000;

export class BackupSchedule {
  #end: (() => void) | undefined;
  #running: ChildProcess | undefined;

  constructor(
    private readonly config: Config,
    /** What runs `svc backup`. */
    private readonly launcher: string,
  ) {}

  /** Begins to wait for the next time. What makes no sense is logged. */
  start(cluster: Cluster): void {
    const { config } = this;
    const expression = config.get('backup.schedule').trim();
    if (expression === '') return;
    const problem = cronProblem(expression) ?? this.#problem();
    if (problem !== undefined) {
      log.error(`no backups are made: ${problem}`);
      return;
    }
    const timezone = config.get('application.timezone');
    log.info(`backups are made at ${expression} in ${config.get('backup.place')}`);
    this.#end = cluster.onCoordinator((signal) => {
      const schedule = new Cron(expression, { ...(timezone === '' ? {} : { timezone }), unref: true }, () => {
        this.#run();
      });
      signal.addEventListener('abort', () => {
        schedule.stop();
      });
    });
  }

  /** A backup on its way is ended; what it has copied is there for the next. */
  stop(): void {
    this.#end?.();
    this.#running?.kill('SIGTERM');
  }

  #problem(): string | undefined {
    if (this.config.get('database.driver') !== 'embedded') return 'a Neo4j has backups of its own (neo4j-admin)';
    return this.config.get('backup.place') === '' ? 'backup.place is not set' : undefined;
  }

  #run(): void {
    if (this.#running !== undefined) {
      log.warn('no backup this time: the last one is still being made');
      return;
    }
    const days = this.config.get('backup.keep.days');
    const args = ['backup', 'create', '--conf', this.config.confPath, ...(days > 0 ? ['--prune', String(days)] : [])];
    const child = spawn(process.execPath, [this.launcher, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#running = child;
    let said = '';
    const hear = (chunk: Buffer): void => {
      said = (said + chunk.toString()).slice(-LONGEST_LINE);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('spawn', () => {
      try {
        if (child.pid !== undefined) setPriority(child.pid, NICE);
      } catch {
        // It is slower for others then, and nothing else.
      }
    });
    child.on('error', (error) => {
      log.error('a backup could not begin', error);
      this.#running = undefined;
    });
    child.on('close', (code) => {
      this.#running = undefined;
      const last = said.trimEnd().split('\n').at(-1) ?? '';
      if (code === 0) log.info(`a backup was made: ${last}`);
      else log.error(`a backup has failed (${String(code)}): ${last}`);
    });
  }
}
