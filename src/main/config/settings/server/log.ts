import { httpUrl } from '../../checks.js';
import { boolean, choice, group, integer, string } from '../../setting.js';

export const logSettings = {
  ...group('general/Logging', {
    'log.level': choice('INFO', ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'], 'Least severe level that is logged'),
    'log.format': choice('text', ['text', 'json'], 'What a line of the log is: text, or an object of JSON'),
    'log.file.maxsize': integer(
      100,
      'Size at which LOG_FILE and the log of requests begin anew (MB); they do every day, too',
      {
        min: 1,
        max: 10_240,
      },
    ),
    'log.file.keep': integer(30, 'Old files of a log that are kept', { min: 1, max: 10_000 }),
    'log.file.maxtotal': integer(1024, 'What old files of a log may take together (MB); the oldest go first', {
      min: 1,
      max: 1_048_576,
    }),
    'log.requests': boolean(
      false,
      'Log every HTTP request, without its query, in the file that REQUEST_LOG_FILE of the environment names, else logs/request.log in base.path',
    ),
    'application.stats.aggreation.interval': integer(
      60_000,
      'Requests of so many milliseconds are counted together in the access statistics (GET /svc/rest/stats); the name is written as others know it',
      { min: 1000, max: 86_400_000, restart: true },
    ),
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
    'log.functions.shortenstacktrace': boolean(
      true,
      'Log mistakes of scripts in one line each; false: with the stack of the server',
    ),
  }),
  ...group('general/Tracing', {
    'tracing.enabled': boolean(
      false,
      'Send a trace of each request to a collector of OpenTelemetry; needs the optional packages @opentelemetry/*',
      { restart: true },
    ),
    'tracing.url': string('http://localhost:4318/v1/traces', 'Where the collector takes traces (OTLP over HTTP)', {
      check: httpUrl,
      restart: true,
    }),
    'tracing.servicename': string('svc', 'Name of the service in traces', { restart: true }),
    'tracing.sampling': integer(100, 'Requests of which traces are sent (%)', { min: 0, max: 100, restart: true }),
  }),
  ...group('database/Debugging', {
    'log.cypher.debug': boolean(false, 'Log every statement of the graph with its time, without values'),
  }),
} as const;
