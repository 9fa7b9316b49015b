import { regularExpression, timeZone } from '../../checks.js';
import { boolean, choice, group, password, string } from '../../setting.js';

const HEAP = { restart: true, pattern: /^[1-9]\d{0,8}[kmg]$/i, example: '512m or 4g' } as const;
const EMAIL = '^[a-zA-Z0-9_+&*-]+(?:\\.[a-zA-Z0-9_+&*-]+)*@(?:[a-zA-Z0-9-]+\\.)+[a-zA-Z]{2,}$';

export const applicationSettings = {
  ...group('general/Application', {
    'application.title': string('Svc', 'Name of the server in its log lines'),
    'application.instance.name': string('', 'Name of this instance, shown in the Admin UI'),
    'application.instance.stage': choice(
      '',
      ['', 'dev', 'test', 'staging', 'production'],
      'Stage of this instance, shown beside its name',
    ),
    'application.heap.min_size': string(
      '1g',
      'Heap the runtime may fill before it collects garbage in earnest; applied when set',
      HEAP,
    ),
    'application.heap.max_size': string('4g', 'Largest heap of the runtime', HEAP),
    'application.restart': boolean(
      true,
      'Start the server again when it has crashed, after pauses that grow from 1 s to 60 s; read by the launcher',
      { restart: true },
    ),
    'application.timezone': string(
      '',
      'Time zone of the process, such as Europe/Berlin; empty: TZ of the environment, else UTC. SVC_TIMEZONE wins over it',
      { check: timeZone, restart: true },
    ),
    'application.uuid.allowedformats': choice(
      'without_dashes',
      ['without_dashes', 'with_dashes', 'both'],
      'How UUIDs may be written',
      { restart: true },
    ),
    'application.uuid.createcompact': boolean(
      true,
      'Where both ways of writing are allowed: create UUIDs without dashes',
      { restart: true },
    ),
    'application.legacy.requestparameters.enabled': boolean(
      false,
      'Accept REST request parameters without their underscore',
    ),
    'application.email.validation.regex': string(
      EMAIL,
      'Regular expression that an e-mail address must match as a whole',
      { check: regularExpression },
    ),
  }),
  ...group('application/Migration', {
    'application.migration.mode': choice('apply', ['apply', 'dry-run', 'off'], 'What migrations do at start', {
      restart: true,
    }),
  }),
  ...group('application/Encryption', {
    'application.encryption.secret': password('', 'Secret that the key of encrypted properties is derived from'),
  }),
} as const;
