import type { Config } from '../config/index.js';
import { storagePolicy } from '../files/index.js';
import type { Door } from '../graph/index.js';
import type { WriteOptions } from '../schema/index.js';
import type { BodyMemoryLimits } from './request/body-memory.js';
import type { RestSettings } from './context.js';

const COMPACT = /^[a-fA-F0-9]{32}$/;
const DASHED = /^[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}$/;
const BOTH = /^(?:[a-fA-F0-9]{32}|[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12})$/;

/** Settings of writing transactions that come through a door. */
export function writeOptions(config: Config, door: Door): WriteOptions {
  const format = config.get('application.uuid.allowedformats');
  return {
    door,
    unknownKeys: config.get('jsonrestservlet.unknowninput.validation.mode'),
    idPattern: format === 'both' ? BOTH : format === 'with_dashes' ? DASHED : COMPACT,
    compactIds: format === 'without_dashes' || (format === 'both' && config.get('application.uuid.createcompact')),
    ...(config.get('application.filesystem.unique.paths')
      ? { uniquePaths: config.get('application.filesystem.unique.insertionposition') }
      : {}),
    longestFileName: config.get('application.filesystem.names.maxbytes'),
    storages: storagePolicy(config),
    usersDecide: config.get('security.administration.byusers'),
    homeDirectories: config.get('application.filesystem.enabled'),
    emailPattern: new RegExp(config.get('application.email.validation.regex')),
    passwords: {
      clearSessions: config.get('security.passwordpolicy.onchange.clearsessions'),
      complexity: config.get('security.passwordpolicy.complexity.enforce')
        ? {
            minLength: config.get('security.passwordpolicy.complexity.minlength'),
            upperCase: config.get('security.passwordpolicy.complexity.requireuppercase'),
            lowerCase: config.get('security.passwordpolicy.complexity.requirelowercase'),
            digits: config.get('security.passwordpolicy.complexity.requiredigits'),
            nonAlphanumeric: config.get('security.passwordpolicy.complexity.requirenonalphanumeric'),
          }
        : undefined,
    },
  };
}

/** Settings the REST room reads, taken together so that one request sees one state. */
export function restSettings(config: Config): RestSettings {
  return {
    softLimit: config.get('database.result.softlimit'),
    defaultView: config.get('jsonrestservlet.defaultview'),
    outputDepth: config.get('jsonrestservlet.outputdepth'),
    outputTimeout: config.get('jsonrestservlet.outputtimeout'),
    reductionDepth: config.get('json.reductiondepth'),
    reduceRepeated: config.get('json.redundancyreduction'),
    indent: config.get('json.indentation'),
    body: {
      bytes: config.get('httpservice.body.maxsize'),
      values: config.get('httpservice.body.maxvalues'),
      objects: config.get('httpservice.body.maxobjects'),
    },
    legacyParameters: config.get('application.legacy.requestparameters.enabled'),
    write: writeOptions(config, 'rest'),
  };
}

/** What the values of bodies may take of the memory. */
export function bodyMemoryLimits(config: Config): BodyMemoryLimits {
  return {
    total: config.get('httpservice.values.maxbytes'),
    perAddress: config.get('httpservice.values.maxbytesperaddress'),
    perUser: config.get('httpservice.values.maxbytesperuser'),
  };
}

/** Settings that `restSettings` and `bodyMemoryLimits` read. */
const NAMES = [
  'database.result.softlimit',
  'jsonrestservlet.defaultview',
  'application.filesystem.names.maxbytes',
  'jsonrestservlet.outputdepth',
  'jsonrestservlet.outputtimeout',
  'jsonrestservlet.unknowninput.validation.mode',
  'json.reductiondepth',
  'json.redundancyreduction',
  'json.indentation',
  'httpservice.body.maxsize',
  'httpservice.body.maxvalues',
  'httpservice.body.maxobjects',
  'httpservice.values.maxbytes',
  'httpservice.values.maxbytesperaddress',
  'httpservice.values.maxbytesperuser',
  'application.legacy.requestparameters.enabled',
  'application.email.validation.regex',
  'application.filesystem.enabled',
  'application.filesystem.unique.paths',
  'application.filesystem.unique.insertionposition',
  'security.administration.byusers',
  'security.passwordpolicy.onchange.clearsessions',
  'security.passwordpolicy.complexity.enforce',
  'security.passwordpolicy.complexity.minlength',
  'security.passwordpolicy.complexity.requireuppercase',
  'security.passwordpolicy.complexity.requirelowercase',
  'security.passwordpolicy.complexity.requiredigits',
  'security.passwordpolicy.complexity.requirenonalphanumeric',
] as const;

/** Calls `listener` when one of the settings of `restSettings` or `bodyMemoryLimits` changes. */
export function onRestSettingsChange(config: Config, listener: () => void): void {
  for (const name of NAMES) config.onChange(name, listener);
}
