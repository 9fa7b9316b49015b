/**
 * Modules of users: files of the tree that scripts import (docs/interface/scripting.md 3.6). Each is read and evaluated once in the JavaScript of a
 * run; whoever imports it has to be allowed to read it, and all that it imports.
 */
import { FilesError } from '../../../files/index.js';
import type { GraphNode } from '../../../graph/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError, ScriptSyntaxError } from '../../language/errors.js';
import { takesMemory } from '../../run/limits/memory.js';
import { placed, START } from '../../language/place.js';
import { describedSource } from './failures.js';
import type { Crossing, Wire } from './wire.js';
import { MOST_MODULES, MOST_TEXT, rewrite, tooMuch, type Rewritten } from './source/rewrite.js';

/** Bytes of one: reading a module holds up the loop. */
const LARGEST = 256 * 1024;
/** Of all modules of a run, with those that are exported by `*`: each of them is a getter, and some text. */
const MOST_NAMES = 20_000;
const LONGEST_SPECIFIER = 1000;
/** Characters of a getter beside its name and its value. */
const GETTER = 12;

interface Module {
  readonly number: number;
  readonly path: string;
  readonly read: Rewritten;
  /** By the order of `read.imports`. */
  needs: readonly Module[];
}

/** What the prelude is told: numbers of the modules asked for, and those that it does not have yet. */
export interface Imported {
  readonly numbers: readonly number[];
  readonly definitions: readonly Wire[];
}

const bySession = new WeakMap<Crossing, Modules>();

/** Modules of the session that this crossing belongs to. */
export function modulesOf(crossing: Crossing): Modules {
  let modules = bySession.get(crossing);
  if (modules === undefined) bySession.set(crossing, (modules = new Modules(crossing)));
  return modules;
}

export class Modules {
  private readonly byFile = new Map<string, Module>();
  private readonly defined = new Set<Module>();
  private characters = 0;
  /** Of what is in `defined`. */
  private names = 0;
  private definedText = 0;

  constructor(private readonly crossing: Crossing) {}

  /**
   * Loads what stands behind `import`, for a script or (`base`) the module at a path. Throws `ScriptError` 422 for what is no
   * module, cannot be read, lacks a name, or is too much.
   */
  async load(read: Pick<Rewritten, 'imports'>, base: string | undefined, context: ScriptContext): Promise<Imported> {
    const seen = new Map<string, Module>();
    const roots: Module[] = [];
    for (const { specifier } of read.imports) roots.push(await this.module(pathOf(specifier, base), seen, context));
    const fresh = [...seen.values()].filter((one) => !this.defined.has(one));
    const named = new Named();
    const names = this.namesWith(fresh, named);
    checkNames(read, roots, context.title, named);
    for (const one of seen.values()) checkNames(one.read, one.needs, one.path, named);
    let text = this.definedText;
    const exports = fresh.map((one) => {
      const made = exportsOf(one, named);
      text += one.read.text.length + made.length;
      if (text > MOST_TEXT) throw tooMuch(`${String(MOST_TEXT)} characters`);
      takesMemory(one.read.text.length + made.length);
      return made.values;
    });
    const definitions = fresh.map((one, i) => this.definition(one, exports[i] ?? new Map<string, string>(), context));
    for (const one of fresh) this.defined.add(one);
    this.names = names;
    this.definedText = text;
    return { numbers: roots.map(({ number }) => number), definitions };
  }

  /** How many names there are with those of these modules. */
  private namesWith(fresh: readonly Module[], named: Named): number {
    const tooMany = (): ScriptError => tooMuch(`${String(MOST_NAMES)} names that modules export`);
    // Before those by `*` are looked for, which takes as long as there are names of their own.
    const own = fresh.reduce((sum, { read }) => sum + read.exports.size, this.names);
    if (own > MOST_NAMES) throw tooMany();
    let names = this.names;
    for (const one of fresh) {
      names += named.of(one).size;
      if (names > MOST_NAMES) throw tooMany();
    }
    return names;
  }

  private async module(path: string, seen: Map<string, Module>, context: ScriptContext): Promise<Module> {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const { files } = context.run.parts;
    const file = await files.fileAt(path, context.access);
    if (file === undefined) throw new ScriptError(422, `There is no module ${path}.`);
    const one = this.byFile.get(file.id) ?? (await this.add(path, file, context));
    seen.set(path, one);
    const needs: Module[] = [];
    for (const { specifier } of one.read.imports) needs.push(await this.module(pathOf(specifier, path), seen, context));
    one.needs = needs;
    return one;
  }

  private async add(path: string, file: GraphNode, context: ScriptContext): Promise<Module> {
    if (file.properties['sandboxed'] === true) {
      throw new ScriptError(422, `${path} cannot be imported: somebody wrote it who is no administrator.`);
    }
    const source = await textOf(path, file, context);
    this.characters += source.length;
    if (this.byFile.size >= MOST_MODULES || this.characters > MOST_TEXT) {
      throw tooMuch(`${String(MOST_MODULES)} modules`);
    }
    const one: Module = { number: this.byFile.size, path, read: readModule(path, source), needs: [] };
    this.byFile.set(file.id, one);
    return one;
  }

  /** Number, path, text of its function, what it needs, names that it exports, its source as stacks name it, whether its top waits. */
  private definition(module: Module, exports: ReadonlyMap<string, string>, context: ScriptContext): Wire {
    const { number, path, read, needs } = module;
    const { prefix } = read;
    const getters = [...exports].map(([name, value]) => `[${JSON.stringify(name)}]:()=>${value}`);
    const parameters = ['x', 'i', 'm', 'w', ...needs.keys()].map((one) => `${prefix}${String(one)}`);
    const begin = `"use strict";void 0;(${read.awaits ? 'async ' : ''}(${parameters.join()})=>{${prefix}x({__proto__:null,${getters.join()}});`;
    const evaluated = {
      title: path,
      context,
      source: read.text,
      origin: START,
      offset: begin.length,
      shifts: read.shifts,
    };
    const source = this.crossing.addSource(evaluated);
    const text = `${begin}${read.text}\n})\n//# sourceURL=svc-script-${String(source)}`;
    return [
      number,
      path,
      text,
      needs.map((one) => one.number),
      [...exports.keys()],
      describedSource(source, evaluated),
      read.awaits,
    ];
  }
}

function readModule(path: string, source: string): Rewritten {
  try {
    return rewrite(source, true);
  } catch (error) {
    if (error instanceof ScriptSyntaxError)
      throw placed(new ScriptError(422, `${path}: ${error.message}`, [], { cause: error }), {
        title: path,
        position: error.position,
      });
    throw error;
  }
}

async function textOf(path: string, file: GraphNode, { run }: ScriptContext): Promise<string> {
  try {
    const content = run.parts.files.contentOf(file);
    if (content.size > LARGEST) {
      throw new ScriptError(422, `${path} cannot be imported: it has more than ${String(LARGEST / 1024)} KB.`);
    }
    const pieces: Buffer[] = [];
    for await (const piece of content.read()) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces)
      .toString('utf8')
      .replace(/^\ufeff/, '');
  } catch (error) {
    if (error instanceof FilesError)
      throw new ScriptError(error.status, `${path}: ${error.message}`, [], { cause: error });
    throw error;
  }
}

/** Paths are as everywhere; `./` and `../` lead on from the folder of a module. */
function pathOf(specifier: string, base: string | undefined): string {
  const shown = specifier.slice(0, 100);
  if (specifier.length > LONGEST_SPECIFIER)
    throw new ScriptError(422, `${shown}... is too long for the path of a module.`);
  if (specifier.startsWith('/')) return specifier;
  if (base === undefined || !/^\.\.?\//.test(specifier)) {
    throw new ScriptError(
      422,
      `${shown} is no path of a module: it begins with /, and in modules also with ./ or ../.`,
    );
  }
  const names = base.split('/').slice(1, -1);
  for (const name of specifier.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

/** Names that a module exports, with the expressions that are their values; characters that they take in its definition. */
function exportsOf(
  { read, needs }: Module,
  named: Named,
): { readonly values: Map<string, string>; readonly length: number } {
  const values = new Map<string, string>();
  let length = 0;
  const add = (name: string, value: string): void => {
    values.set(name, value);
    // Its getter, and its place in the list of names.
    length += 2 * name.length + value.length + GETTER;
    // A long name that is exported by many names is one text in memory until they are joined.
    if (length > MOST_TEXT) throw tooMuch(`${String(MOST_TEXT)} characters`);
  };
  for (const [name, value] of read.exports) add(name, value);
  for (const index of read.stars) {
    const from = needs[index];
    if (from === undefined) continue;
    for (const name of named.of(from)) {
      if (name !== 'default' && !values.has(name)) add(name, `${read.prefix}${String(index)}[${JSON.stringify(name)}]`);
    }
  }
  return { values, length };
}

function checkNames(
  { imports }: Pick<Rewritten, 'imports'>,
  modules: readonly Module[],
  importer: string,
  named: Named,
): void {
  for (const [i, { names }] of imports.entries()) {
    const from = modules[i];
    if (from === undefined || names.size === 0) continue;
    const exported = named.of(from);
    for (const [name, line] of names) {
      if (exported.has(name)) continue;
      throw new ScriptError(
        422,
        `${importer}:${String(line)}: the module ${from.path} does not export ${name.slice(0, 100)}.`,
      );
    }
  }
}

/** All names of modules, also those that they export of others, found once a load: what a module needs may change. */
class Named {
  private readonly known = new Map<Module, ReadonlySet<string>>();

  of(module: Module): ReadonlySet<string> {
    let names = this.known.get(module);
    if (names === undefined) this.known.set(module, (names = namesOf(module)));
    return names;
  }
}

function namesOf(module: Module): ReadonlySet<string> {
  const names = new Set(module.read.exports.keys());
  const reached = new Set([module]);
  // Grows while it is gone through.
  for (const { read, needs } of reached) {
    for (const index of read.stars) {
      const from = needs[index];
      if (from === undefined || reached.has(from)) continue;
      reached.add(from);
      for (const name of from.read.exports.keys()) if (name !== 'default') names.add(name);
    }
  }
  return names;
}
