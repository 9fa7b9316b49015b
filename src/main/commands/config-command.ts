/** `svc config`: settings in the file of an instance, read and changed (docs/interface/operations.md 1.7). */
import { text as textOfStream } from 'node:stream/consumers';
import { setLogLevel } from '../../shared/log.js';
import {
  ConfigError,
  describeSetting,
  findSettingName,
  isSecretSetting,
  settingNames,
  type Config,
} from '../config/index.js';
import { askServer, ControlError, RELOAD } from '../control-socket.js';
import { EXIT } from '../exit-codes.js';
import { readArguments, settingsIn, UsageError } from './settings.js';

const HELP = `Usage: svc config get [NAME]        prints the value that counts; without a name those that are not the default
       svc config set NAME VALUE|-  changes a setting in the file; - reads the value from the standard input
       svc config reset NAME...     back to the default

A server of an embedded database that runs reads the file again at once; others do at SIGHUP.

  --conf PATH   settings file; default: ./svc.conf
  --help        print this

Exit codes: 0 it is done; 1 it is not, the message says why; 3 the command line makes no sense.
`;

const OPTIONS = { conf: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;

/** Runs the command with the arguments behind its name; the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = readArguments(args, OPTIONS);
    if (values.help === true) {
      process.stdout.write(HELP);
      return EXIT.ok;
    }
    setLogLevel('ERROR');
    const [action = '', ...rest] = positionals;
    const act = ACTIONS.get(action);
    if (act === undefined) throw new UsageError('say get, set or reset; try --help.');
    await act(await settingsIn(values.conf ?? 'svc.conf'), rest);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError || error instanceof ControlError)) throw error;
    process.stderr.write(`svc config: ${error.message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

type Act = (config: Config, rest: readonly string[]) => Promise<void> | void;

const ACTIONS: ReadonlyMap<string, Act> = new Map<string, Act>([
  ['get', get],
  ['set', set],
  ['reset', reset],
]);

function get(config: Config, [name, ...more]: readonly string[]): void {
  if (more.length > 0) throw new UsageError('get takes one name, or none; try --help.');
  if (name === undefined) {
    for (const one of settingNames) {
      if (config.source(one) === 'default') continue;
      process.stdout.write(`${one} = ${shown(one, textOf(config.get(one)))}${origin(config.source(one))}\n`);
    }
    for (const [one, value] of config.dynamic())
      process.stdout.write(`${one} = ${shown(one, value)}${origin(config.dynamicSource(one))}\n`);
    return;
  }
  const known = findSettingName(name);
  const value = known === undefined ? config.dynamic().get(name) : textOf(config.get(known));
  if (value === undefined) throw new UsageError(`there is no setting '${name}'.`);
  process.stdout.write(`${value}\n`);
}

async function set(config: Config, [name, value, ...more]: readonly string[]): Promise<void> {
  if (name === undefined || value === undefined || more.length > 0)
    throw new UsageError('set takes a name and a value; try --help.');
  mustBeOfFile(config, name);
  const text = value === '-' ? (await textOfStream(process.stdin)).replace(/\r?\n$/, '') : value;
  config.setText(name, text);
  await config.save();
  await tellServer(config, [name]);
}

async function reset(config: Config, names: readonly string[]): Promise<void> {
  if (names.length === 0) throw new UsageError('reset takes names of settings; try --help.');
  for (const name of names) {
    mustBeOfFile(config, name);
    if (findSettingName(name) === undefined && !config.dynamic().has(name))
      throw new UsageError(`there is no setting '${name}'.`);
    config.reset(name);
  }
  await config.save();
  await tellServer(config, names);
}

/** What the environment says goes before the file, so that a change of the file would do nothing. */
function mustBeOfFile(config: Config, name: string): void {
  const known = findSettingName(name);
  const source = known === undefined ? config.dynamicSource(name) : config.source(known);
  if (source === 'environment')
    throw new UsageError(`the environment gives '${name}': a change of the file would do nothing.`);
}

async function tellServer(config: Config, names: readonly string[]): Promise<void> {
  const late = names.filter((name) => {
    const known = findSettingName(name);
    return known !== undefined && describeSetting(known).restart === true;
  });
  const heard =
    config.get('database.driver') === 'embedded' &&
    (await askServer(config.path('database.path'), RELOAD, {})) !== undefined;
  if (heard) process.stdout.write('The running server has read it.\n');
  if (late.length > 0) process.stdout.write(`From the next start on: ${late.join(', ')}\n`);
}

function shown(name: string, value: string): string {
  return isSecretSetting(name, value) ? '(secret)' : value;
}

function textOf(value: string | number | boolean | readonly string[]): string {
  return typeof value === 'object' ? value.join(' ') : String(value);
}

function origin(source: 'default' | 'file' | 'environment' | undefined): string {
  return source === 'environment' ? '   (environment)' : '';
}
