import { randomBytes } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import { logger } from '../../shared/log.js';
import {
  describeSetting,
  findSettingName,
  settingNames,
  type PathSettingName,
  type SettingName,
  type SettingValueOf,
  type SettingValues,
} from './catalogue.js';
import { formatEntry, parseConf, rewriteConf, type ConfEntry } from './conf-file.js';
import { CONF_MODE, readConfFile, writeConfFile, type ConfFile } from './conf-store.js';
import { ConfigError, type Problem, type ProblemKind } from './errors.js';
import { Followed } from './followed.js';
import { readEnvironmentLayer, readLayers, type Environment, type Layer } from './layers.js';
import type { SettingValue } from './setting.js';
import { formatValue, parseValue, sameValue } from './values.js';

const log = logger('config');

/** Where a value comes from; the later one wins. */
export type SettingSource = 'default' | 'file' | 'environment';

/** A setting whose value is another than before. */
export interface SettingChange {
  readonly name: SettingName;
  /** The server has to be started again for it. */
  readonly restart: boolean;
}

type Listener = (value: SettingValue, previous: SettingValue) => void;

/** All that a `Config` knows, as plain data which can cross threads. It holds secrets. */
export interface ConfigCopy {
  readonly confPath: string;
  readonly file: Layer;
  readonly environment: Layer;
}

/** The one entry that is written even where it could be left out (specification, Configuration 3). */
const ALWAYS_STORED: SettingName = 'superuser.password';

/**
 * The settings: those of the catalogue with their defaults, changed by `svc.conf`, changed by the environment
 * (specification, Configuration). Reading is a plain look-up; only `load`, `reload` and `save` touch the disk.
 *
 * ```ts
 * const config = await Config.load({ confPath: './svc.conf' });
 * config.get('application.http.port'); // number
 * config.onChange('log.level', (level) => { setLogLevel(level); });
 * ```
 */
export class Config {
  /** Absolute path of the settings file. */
  readonly confPath: string;
  /** The settings file was written by this start, with a new superuser password. */
  readonly created: boolean;
  /** `save` and `reload` wait for it. */
  readonly followed = new Followed();
  readonly #env: Environment;
  #file: Layer;
  #environment: Layer;
  #problems: readonly Problem[];
  #values: SettingValues;
  readonly #listeners = new Map<SettingName, Set<Listener>>();
  readonly #anyListeners = new Set<() => void>();
  /** Changes that are not in the file yet, by stored name; undefined takes the entry out. */
  readonly #unsaved = new Map<string, string | undefined>();
  #saving: Promise<void> = Promise.resolve();

  private constructor(confPath: string, env: Environment, layers: ReturnType<typeof readLayers>, created: boolean) {
    this.confPath = confPath;
    this.created = created;
    this.#env = env;
    this.#file = layers.file;
    this.#environment = layers.env;
    this.#problems = layers.warnings;
    this.#values = this.#effective();
  }

  /**
   * Reads the settings file and the environment. A file that is not there is written, with a generated superuser
   * password as its only entry, unless the environment has one.
   *
   * @throws {ConfigError} when a line or a value makes no sense (all of them are named), or the file cannot be read or
   *   written
   */
  static async load(options: { readonly confPath: string; readonly env?: Environment }): Promise<Config> {
    const confPath = resolve(options.confPath);
    const env = options.env ?? process.env;
    const found = await readOrExplain(confPath);
    const file = found ?? (await createConf(confPath, env));
    return new Config(confPath, env, readLayers(file, basename(confPath), env), found === undefined);
  }

  /**
   * Settings without a file and an environment, for tests; paths are relative to `folder`. `save` would write
   * `folder/svc.conf`.
   */
  static of(values: Partial<SettingValues> = {}, folder = '.'): Config {
    const layers = readLayers({ text: '', mode: CONF_MODE, latin1: false }, 'svc.conf', {});
    const config = new Config(resolve(folder, 'svc.conf'), {}, layers, false);
    for (const [name, value] of Object.entries(values)) {
      const known = findSettingName(name);
      if (known !== undefined) config.set(known, value);
    }
    return config;
  }

  /** The settings of another thread; `take` keeps them up to date. They are never written. */
  static ofCopy({ confPath, file, environment }: ConfigCopy): Config {
    return new Config(confPath, {}, { file, env: environment, warnings: [] }, false);
  }

  /** What another thread needs to have the same settings. */
  copy(): ConfigCopy {
    return { confPath: this.confPath, file: this.#file, environment: this.#environment };
  }

  /** From now on the settings are those of the copy; listeners hear of what has changed. */
  take({ file, environment }: ConfigCopy): void {
    this.#file = file;
    this.#environment = environment;
    this.#refresh();
  }

  /** Calls back after each change of a setting, of dynamic ones as well, and after each reload. Answers a function that ends this. */
  onAnyChange(listener: () => void): () => void {
    this.#anyListeners.add(listener);
    return () => {
      this.#anyListeners.delete(listener);
    };
  }

  /** Folder of the settings file, which relative paths in settings count from. */
  get folder(): string {
    return dirname(this.confPath);
  }

  /** What the operator should know: unknown names, a file others can read, settings nothing reads yet. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** The value that counts now. */
  get<N extends SettingName>(name: N): SettingValueOf<N> {
    return this.#values[name];
  }

  /** The absolute path a setting names; the empty text, which stands for none, stays empty. */
  path(name: PathSettingName): string {
    const value = this.get(name);
    return value === '' ? '' : resolve(this.folder, value);
  }

  /** Where the value that counts comes from. */
  source(name: SettingName): SettingSource {
    if (this.#environment.known.has(name)) return 'environment';
    return this.#file.known.has(name) ? 'file' : 'default';
  }

  /** Settings that are not in the catalogue, with their text; their names keep their case. */
  dynamic(): ReadonlyMap<string, string> {
    return new Map([...this.#file.unknown, ...this.#environment.unknown]);
  }

  /** Where a setting that is not in the catalogue comes from; undefined: there is none of this name. */
  dynamicSource(name: string): Exclude<SettingSource, 'default'> | undefined {
    if (this.#environment.unknown.has(name)) return 'environment';
    return this.#file.unknown.has(name) ? 'file' : undefined;
  }

  /**
   * Changes a setting in memory; `save` writes it. Where the environment has the setting, that value still counts.
   *
   * @throws {ConfigError} when the setting cannot have this value
   */
  set<N extends SettingName>(name: N, value: SettingValueOf<N>): void {
    this.setText(name, formatValue(value));
  }

  /**
   * Changes a setting that is known by name and text only: a known one in any case, or a dynamic one.
   *
   * @throws {ConfigError} when the setting cannot have this value
   */
  setText(name: string, text: string): void {
    const known = findSettingName(name);
    if (known === undefined) {
      this.#file.unknown.set(name, text);
      this.#unsaved.set(name, text);
      this.#tell();
      return;
    }
    const setting = describeSetting(known);
    const parsed = parseValue(setting, text);
    if (!parsed.ok) throw new ConfigError([badValue(known, parsed.reason)]);
    if (sameValue(parsed.value, setting.default)) {
      this.reset(known);
      return;
    }
    this.#file.known.set(known, parsed.value);
    this.#unsaved.set(known, text);
    this.#refresh();
  }

  /**
   * Changes several settings, all or none: the text of each by its name, undefined for its default.
   *
   * @throws {ConfigError} when one of them cannot have its value; all problems are named
   */
  setAll(changes: ReadonlyMap<string, string | undefined>): void {
    const problems: Problem[] = [];
    for (const [name, text] of changes) {
      const known = findSettingName(name);
      if (known === undefined || text === undefined) continue;
      const reason = settingProblem(known, text);
      if (reason !== undefined) problems.push(badValue(known, reason));
    }
    if (problems.length > 0) throw new ConfigError(problems);
    for (const [name, text] of changes) {
      if (text === undefined) this.reset(name);
      else this.setText(name, text);
    }
  }

  /** Takes a setting back to its default, and a dynamic one away; `save` takes it out of the file. */
  reset(name: string): void {
    const known = findSettingName(name);
    if (known === undefined) this.#file.unknown.delete(name);
    else this.#file.known.delete(known);
    this.#unsaved.set(known ?? name, undefined);
    this.#refresh();
  }

  /**
   * Calls back when the value that counts changes: by `set`, `reset` or `reload`. Answers a function that ends this.
   */
  onChange<N extends SettingName>(
    name: N,
    listener: (value: SettingValueOf<N>, previous: SettingValueOf<N>) => void,
  ): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    // A value of its own, so that one listener may be registered twice.
    const entry = ((value: SettingValueOf<N>, previous: SettingValueOf<N>) => {
      listener(value, previous);
    }) as Listener;
    listeners.add(entry);
    return () => {
      listeners.delete(entry);
    };
  }

  /**
   * Writes the changes into the settings file, atomically; when it resolves they are in force everywhere. The file is read again for this, so that what somebody wrote
   * into it meanwhile stays; comments and order stay too. Entries that are no different from the default are left out,
   * values of the environment never get in.
   *
   * @throws {ConfigError} when the file cannot be written
   */
  save(): Promise<void> {
    const saved = this.#saving.then(() => this.#writeChanges());
    this.#saving = saved.catch(() => undefined);
    return saved.then(() => this.followed.settled());
  }

  /**
   * Reads file and environment again. An entry that is gone from the file is back at its default; changes that were not
   * saved are lost. Answers what changed, once that is in force everywhere.
   *
   * @throws {ConfigError} when a line or a value makes no sense; everything then stays as it was
   */
  async reload(): Promise<readonly SettingChange[]> {
    await this.#saving;
    const file = await readOrExplain(this.confPath);
    if (file === undefined) {
      throw problem('unreadable', `there is no settings file ${this.confPath}`);
    }
    const layers = readLayers(file, basename(this.confPath), this.#env);
    this.#file = layers.file;
    this.#environment = layers.env;
    this.#problems = layers.warnings;
    this.#unsaved.clear();
    const changed = this.#refresh();
    await this.followed.settled();
    return changed;
  }

  #effective(): SettingValues {
    const entries = settingNames.map((name): [SettingName, SettingValue] => [
      name,
      this.#environment.known.get(name) ?? this.#file.known.get(name) ?? describeSetting(name).default,
    ]);
    // Every value went through its setting's parser, so the object is what its type says.
    return Object.freeze(Object.fromEntries(entries)) as SettingValues;
  }

  /** Works the values out again and tells the listeners. */
  #refresh(): readonly SettingChange[] {
    const before = this.#values;
    this.#values = this.#effective();
    const changed = settingNames.filter((name) => !sameValue(before[name], this.#values[name]));
    for (const name of changed) {
      for (const listener of this.#listeners.get(name) ?? []) {
        try {
          listener(this.#values[name], before[name]);
        } catch (error) {
          // The others must hear of it all the same.
          log.error(`a listener of '${name}' failed`, error);
        }
      }
    }
    this.#tell();
    return changed.map((name) => ({ name, restart: describeSetting(name).restart === true }));
  }

  #tell(): void {
    for (const listener of this.#anyListeners) listener();
  }

  async #writeChanges(): Promise<void> {
    const changes = new Map(this.#unsaved);
    const file = await readOrExplain(this.confPath);
    const document = parseConf(file?.text ?? '');
    const storedName = (name: string): string => findSettingName(name) ?? name;
    const present = new Set(document.parts.flatMap((part) => (part.kind === 'entry' ? [storedName(part.name)] : [])));
    const added: string[] = [];
    for (const [name, value] of changes) {
      if (value !== undefined && !present.has(name)) added.push(formatEntry(name, value));
    }
    const seen = new Set<string>();
    const decide = (entry: ConfEntry): string | null | undefined => {
      const name = storedName(entry.name);
      // Of several entries the first one counts; were it left out, the next one would come to life.
      if (seen.has(name)) return null;
      seen.add(name);
      const value = changes.has(name) ? changes.get(name) : entry.value;
      if (value === undefined || isDefault(name, value)) return null;
      return value === entry.value && name === entry.name ? undefined : formatEntry(name, value);
    };
    const text = rewriteConf(document, decide, added);
    if (file === undefined || file.text !== text || file.mode !== CONF_MODE) await writeOrExplain(this.confPath, text);
    for (const [name, value] of changes) {
      if (this.#unsaved.get(name) === value) this.#unsaved.delete(name);
    }
  }
}

/** What is wrong with a text for a setting; undefined: nothing. It never contains the value of a secret. */
export function settingProblem(name: SettingName, text: string): string | undefined {
  const parsed = parseValue(describeSetting(name), text);
  return parsed.ok ? undefined : parsed.reason;
}

function badValue(name: SettingName, reason: string): Problem {
  return { kind: 'bad_value', message: `'${name}': ${reason}`, name };
}

/** Whether an entry says what holds without it. */
function isDefault(name: string, text: string): boolean {
  const known = findSettingName(name);
  if (known === undefined || known === ALWAYS_STORED) return false;
  const setting = describeSetting(known);
  const parsed = parseValue(setting, text);
  return parsed.ok && sameValue(parsed.value, setting.default);
}

/** The settings file of a fresh installation. */
async function createConf(confPath: string, env: Environment): Promise<ConfFile> {
  const given = readEnvironmentLayer(env).layer.known.has(ALWAYS_STORED);
  // 144 bits, in characters that need no escaping anywhere.
  const text = given ? '' : `${formatEntry(ALWAYS_STORED, randomBytes(18).toString('base64url'))}\n`;
  if (!given) await writeOrExplain(confPath, text);
  return { text, mode: CONF_MODE, latin1: false };
}

async function readOrExplain(path: string): Promise<ConfFile | undefined> {
  try {
    return await readConfFile(path);
  } catch (error) {
    throw problem('unreadable', `the settings file ${path} cannot be read: ${reason(error)}`, error);
  }
}

async function writeOrExplain(path: string, text: string): Promise<void> {
  try {
    await writeConfFile(path, text);
  } catch (error) {
    throw problem('unwritable', `the settings file ${path} cannot be written: ${reason(error)}`, error);
  }
}

function problem(kind: ProblemKind, message: string, cause?: unknown): ConfigError {
  return new ConfigError([{ kind, message }], { cause });
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
