import type { Config } from '../config/index.js';
import { storagePolicy } from '../files/index.js';
import type { WriteOptions } from '../schema/index.js';
import type { RestSettings } from './context.js';

const COMPACT = /^[a-fA-F0-9]{32}$/;
const DASHED = /^[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}$/;
const BOTH = /^(?:[a-fA-F0-9]{32}|[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12})$/;

/** Settings of writing transactions. */
export function writeOptions(config: Config): WriteOptions {
  const format = config.get('application.uuid.allowedformats');
  return {
    unknownKeys: config.get('jsonrestservlet.unknowninput.validation.mode'),
    idPattern: format === 'both' ? BOTH : format === 'with_dashes' ? DASHED : COMPACT,
    compactIds: format === 'without_dashes' || (format === 'both' && config.get('application.uuid.createcompact')),
    ...(config.get('application.filesystem.unique.paths')
      ? { uniquePaths: config.get('application.filesystem.unique.insertionposition') }
      : {}),
    storages: storagePolicy(config),
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
    reductionDepth: config.get('json.reductiondepth'),
    reduceRepeated: config.get('json.redundancyreduction'),
    indent: config.get('json.indentation'),
    bodyLimit: config.get('httpservice.body.maxsize'),
    legacyParameters: config.get('application.legacy.requestparameters.enabled'),
    write: writeOptions(config),
  };
}

/** Settings `restSettings` reads. */
const NAMES = [
  'database.result.softlimit',
  'jsonrestservlet.defaultview',
  'jsonrestservlet.outputdepth',
  'jsonrestservlet.unknowninput.validation.mode',
  'json.reductiondepth',
  'json.redundancyreduction',
  'json.indentation',
  'httpservice.body.maxsize',
  'application.legacy.requestparameters.enabled',
  'application.email.validation.regex',
  'application.filesystem.enabled',
  'application.filesystem.unique.paths',
  'application.filesystem.unique.insertionposition',
  'security.passwordpolicy.onchange.clearsessions',
  'security.passwordpolicy.complexity.enforce',
  'security.passwordpolicy.complexity.minlength',
  'security.passwordpolicy.complexity.requireuppercase',
  'security.passwordpolicy.complexity.requirelowercase',
  'security.passwordpolicy.complexity.requiredigits',
  'security.passwordpolicy.complexity.requirenonalphanumeric',
] as const;

/** Calls `listener` when one of the settings of `restSettings` changes. */
export function onRestSettingsChange(config: Config, listener: () => void): void {
  for (const name of NAMES) config.onChange(name, listener);
}
