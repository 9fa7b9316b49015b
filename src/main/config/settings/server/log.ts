import { boolean, choice, group, integer } from '../../setting.js';

export const logSettings = {
  ...group('general/Logging', {
    'log.level': choice('INFO', ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'], 'Least severe level that is logged'),
    'log.requests': boolean(false, 'Log every HTTP request', { restart: true, notRead: true }),
    'log.querytime.threshold': integer(
      3000,
      'Statements of the graph that take this long are logged as warnings (ms)',
      {
        min: 0,
      },
    ),
    'log.scriptprocess.commandline': integer(
      2,
      'What is logged of programs that exec() of scripts runs: 0 nothing, 1 their path, 2 path and parameters',
      { min: 0, max: 2 },
    ),
    'log.functions.shortenstacktrace': boolean(true, 'Log errors of built-in functions in one line', { notRead: true }),
  }),
  ...group('database/Debugging', {
    'log.cypher.debug': boolean(false, 'Log every statement of the graph with its time, without values'),
  }),
} as const;
