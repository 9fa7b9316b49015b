import { boolean, group, integer, string } from '../../setting.js';

export const scriptingSettings = {
  ...group('general/Scripting', {
    'application.scripting.js.wrapinmainfunction': boolean(false, 'JavaScript answers by an explicit return only'),
    'application.scripting.js.memory': integer(128, 'Memory a run of JavaScript may take (MB)', { min: 16, max: 2048 }),
    'application.scripting.js.timeout.cpu': integer(
      20_000,
      'Computing time of a run of JavaScript, without waiting (ms)',
      { min: 10 },
    ),
    'application.scripting.js.timeout.total': integer(600_000, 'Time until a script is ended, waiting included (ms)', {
      min: 10,
    }),
    'application.scripting.js.isolates': integer(
      256,
      'Runs of JavaScript at a time, those that wait for something included; each has a thread and memory',
      {
        min: 1,
        max: 4096,
      },
    ),
    'application.scripting.js.computing': integer(
      0,
      'Runs of JavaScript that compute at a time, one user leaving a place for others; who waits for something does not count; 0: one more than there are processors, 3 at least',
      { min: 0, max: 1024 },
    ),
    'application.scripting.js.queue.length': integer(
      1000,
      'Runs of JavaScript that wait to begin; who comes beyond that is answered with 503',
      { min: 0, max: 100_000 },
    ),
    'application.scripting.js.queue.timeout': integer(
      30_000,
      'Time a run of JavaScript waits to begin before it is answered with 503 (ms)',
      { min: 10, max: 600_000 },
    ),
    'application.scripting.threads.timeout': integer(
      30,
      'Time that functions such as xpath() and toExcel() may take, waiting for a thread included (s)',
      { min: 1, max: 3600 },
    ),
    'cronservice.tasks': string(
      '',
      'User-defined functions and static methods (Type.method) that run on a schedule, separated by blanks; each needs <name>.cronExpression',
      {
        restart: true,
      },
    ),
    'cronservice.allowparallelexecution': boolean(false, 'A scheduled task may begin while its last run goes on'),
  }),
  ...group('general/Scripts', {
    'scripts.path.allowsymboliclinks': boolean(false, 'Programs of exec() may be reached by symbolic links'),
    'scripts.path.allowpathtraversal': boolean(
      false,
      'Programs of exec() may lie outside of scripts.path: their settings may name them with two dots',
    ),
    'scripts.timeout': integer(300, 'Time until a program that exec() runs is ended (s)', { min: 1, max: 86_400 }),
    'scripts.maxoutput': integer(16, 'Most that exec() takes of what a program writes (MB)', { min: 1, max: 16 }),
    'scripts.maxprocesses': integer(16, 'Programs of exec() that run at a time', { min: 1, max: 1000 }),
  }),
} as const;
