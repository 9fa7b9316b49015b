import { describeSetting, findSettingName, type SettingName } from './catalogue.js';
import { parseConf } from './conf-file.js';
import { CONF_MODE, type ConfFile } from './conf-store.js';
import { fromEnvironmentName, OWN_NAMES } from './environment.js';
import { ConfigError, type Problem } from './errors.js';
import type { SettingValue } from './setting.js';
import { parseValue, sameValue } from './values.js';

/** The environment of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings from one source. */
export interface Layer {
  /** Settings of the catalogue. */
  readonly known: Map<SettingName, SettingValue>;
  /** Other names, in their own case, with their text. */
  readonly unknown: Map<string, string>;
}

/** A source as read: good settings, what is wrong but can be lived with, and what cannot. */
interface Reading {
  readonly layer: Layer;
  readonly warnings: readonly Problem[];
  readonly errors: readonly Problem[];
}

/**
 * Reads file and environment. Throws `ConfigError` with everything that is wrong in either when there is a line or a
 * value that makes no sense.
 */
export function readLayers(
  file: ConfFile,
  fileName: string,
  env: Environment,
): { readonly file: Layer; readonly env: Layer; readonly warnings: readonly Problem[] } {
  const fromFile = readFileLayer(file, fileName);
  const fromEnv = readEnvironmentLayer(env);
  const errors = [...fromFile.errors, ...fromEnv.errors];
  if (errors.length > 0) throw new ConfigError(errors);
  const warnings = [
    ...fromFile.warnings,
    ...fromEnv.warnings,
    ...notRead(fromFile.layer, `${fileName}: `),
    ...notRead(fromEnv.layer, 'environment: '),
  ];
  return { file: fromFile.layer, env: fromEnv.layer, warnings };
}

/** Settings whose names users make: schedules of tasks, further servers for mails, and connections that are kept for later. */
const DYNAMIC =
  /.\.(?:cronexpression|smtp\.(?:host|port|user|password|tls\.(?:enabled|required))|database\.(?:driver|path|connection\.(?:url|username|password|databasename)))$/i;

/** Entries and bad lines of a settings file. Of several entries with one name the first counts. */
export function readFileLayer(file: ConfFile, fileName: string): Reading {
  const layer: Layer = { known: new Map(), unknown: new Map() };
  const warnings: Problem[] = [];
  const errors: Problem[] = [];
  const lines = new Map<string, number>();
  if (file.mode !== CONF_MODE && process.platform !== 'win32') {
    const message = `${fileName} has mode ${octal(file.mode)}, expected ${octal(CONF_MODE)}: it holds passwords`;
    warnings.push({ kind: 'file_mode', message });
  }
  if (file.latin1) {
    warnings.push({ kind: 'encoding', message: `${fileName} is not UTF-8; it was read as ISO-8859-1` });
  }
  const { parts, badLines } = parseConf(file.text);
  for (const { line, reason } of badLines) {
    errors.push({ kind: 'bad_line', message: `${fileName} line ${String(line)}: ${reason}`, line });
  }
  for (const part of parts) {
    if (part.kind !== 'entry') continue;
    const { line, value } = part;
    const known = findSettingName(part.name);
    const name = known ?? part.name;
    const place = `${fileName} line ${String(line)}`;
    const first = lines.get(name);
    if (first !== undefined) {
      const message = `${place}: '${name}' was set in line ${String(first)} already; this line has no effect`;
      warnings.push({ kind: 'duplicate', message, name, line });
      continue;
    }
    lines.set(name, line);
    if (known === undefined) {
      if (!DYNAMIC.test(name)) {
        warnings.push({ kind: 'unknown_setting', message: `${place}: there is no setting '${name}'`, name, line });
      }
      layer.unknown.set(name, value);
      continue;
    }
    const parsed = parseValue(describeSetting(known), value);
    if (parsed.ok) layer.known.set(known, parsed.value);
    else errors.push({ kind: 'bad_value', message: `${place}: '${name}': ${parsed.reason}`, name, line });
  }
  errors.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return { layer, warnings, errors };
}

/** Empty variables count as not set: container files often pass on variables that nobody gave a value. */
export function readEnvironmentLayer(env: Environment): Reading {
  const layer: Layer = { known: new Map(), unknown: new Map() };
  const warnings: Problem[] = [];
  const errors: Problem[] = [];
  for (const variable of new Set([...OWN_NAMES.keys(), ...Object.keys(env)])) {
    const name = OWN_NAMES.get(variable) ?? fromEnvironmentName(variable);
    const text = env[variable];
    if (name === undefined || text === undefined || text === '') continue;
    const known = findSettingName(name);
    if (known === undefined) {
      const message = `environment variable ${variable}: there is no setting '${name}'`;
      if (!DYNAMIC.test(name)) warnings.push({ kind: 'unknown_variable', message, name });
      layer.unknown.set(name, text);
      continue;
    }
    if (layer.known.has(known)) {
      const message = `environment variable ${variable}: '${known}' is set by another variable already`;
      warnings.push({ kind: 'duplicate', message, name: known });
      continue;
    }
    const parsed = parseValue(describeSetting(known), text);
    if (parsed.ok) {
      layer.known.set(known, parsed.value);
    } else {
      const message = `environment variable ${variable}: '${known}': ${parsed.reason}`;
      errors.push({ kind: 'bad_value', message, name: known });
    }
  }
  return { layer, warnings, errors };
}

/** A setting whose feature is not built yet must not be ignored in silence. */
function notRead(layer: Layer, place: string): Problem[] {
  const problems: Problem[] = [];
  for (const [name, value] of layer.known) {
    const setting = describeSetting(name);
    if (setting.notRead !== true || sameValue(value, setting.default)) continue;
    const message = `${place}setting '${name}' is set, but nothing reads it yet`;
    problems.push({ kind: 'not_read', message, name });
  }
  return problems;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
