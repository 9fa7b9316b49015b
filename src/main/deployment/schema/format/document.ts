/** The schema as one document: written from plain data, and read into it. */
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { METHOD_NAME, type Schema } from '../../../schema/index.js';
import { hasCodeFiles, joinCode, type CodeFiles } from './code-files.js';
import { Findings, Place } from './findings.js';
import { methodJson, readMethod } from './method-json.js';
import {
  corrected,
  inOrder,
  type MethodModel,
  type RelationModel,
  type SchemaModel,
  type TypeModel,
} from '../model.js';
import { isRelation, readRelation, referenceTo, relationJson, type ShownNames } from './relation-json.js';
import { readType, typeJson } from './type-json.js';

/** Definitions of a document; more are refused. */
const MOST_DEFINITIONS = 20_000;

/** The document of a schema. `compiled` is the same schema, which knows the names that were made up. */
export function schemaDocument(model: SchemaModel, compiled?: Schema): JsonObject {
  const defined = new Set(model.types.filter((type) => !type.byNameOnly).map(({ name }) => name));
  const shown = new Map(model.relations.map((one) => [one.name, shownNames(one, compiled)]));
  const linksOf = relationProperties(model, shown, defined);
  const notionIsList =
    (type: string) =>
    (name: string): boolean => {
      const properties = compiled?.type(type)?.properties;
      const notion = properties?.get(name);
      const relation = notion?.kind === 'notion' ? properties?.get(notion.relationName) : undefined;
      return relation?.kind === 'relation' && relation.isCollection;
    };
  const definitions: JsonObject = {};
  for (const type of model.types) {
    const hints = { notionIsList: notionIsList(type.name), relations: linksOf.get(type.name) ?? new Map() };
    definitions[type.name] = typeJson(type, hints);
  }
  for (const one of model.relations) {
    const names = shown.get(one.name) ?? { source: undefined, target: undefined };
    const hints = { notionIsList: notionIsList(one.name), relations: new Map<string, JsonObject>() };
    definitions[one.name] = relationJson(one, names, defined, hints);
  }
  return { definitions, methods: model.functions.map((one) => ({ ...methodJson(one, true), name: one.name })) };
}

/** The properties that show a relation, given or made up. */
function shownNames({ name, source, target, values }: RelationModel, compiled: Schema | undefined): ShownNames {
  const made = (end: string, direction: 'in' | 'out'): string | undefined => {
    for (const property of compiled?.type(end)?.properties.values() ?? [])
      if (property.kind === 'relation' && property.relation.name === name && property.direction === direction)
        return property.name;
    return undefined;
  };
  const given = (key: string): string | undefined => values[key] as string | undefined;
  return {
    source: given('sourceJsonName') ?? made(target, 'in'),
    target: given('targetJsonName') ?? made(source, 'out'),
  };
}

/** Properties that show relations, by type. They are told for who reads the document; relations say it themselves. */
function relationProperties(
  model: SchemaModel,
  shown: ReadonlyMap<string, ShownNames>,
  defined: ReadonlySet<string>,
): Map<string, Map<string, JsonObject>> {
  const all = new Map<string, Map<string, JsonObject>>();
  const add = (type: string, name: string | undefined, json: JsonObject): void => {
    if (name === undefined || !defined.has(type)) return;
    let properties = all.get(type);
    if (properties === undefined) all.set(type, (properties = new Map<string, JsonObject>()));
    properties.set(name, json);
  };
  for (const { name, source, target, values } of model.relations) {
    const link = { $link: `#/definitions/${name}` };
    const to = (type: string, multiplicity: unknown): JsonObject => {
      const $ref = referenceTo(type, defined);
      return multiplicity === '1' ? { ...link, type: 'object', $ref } : { ...link, type: 'array', items: { $ref } };
    };
    const names = shown.get(name);
    add(source, names?.target, to(target, values['targetMultiplicity']));
    add(target, names?.source, to(source, values['sourceMultiplicity']));
  }
  return all;
}

/** What was read of a document. */
export interface ReadDocument {
  readonly model: SchemaModel;
  /** What was passed over, each with its place. */
  readonly notices: readonly string[];
  /** Paths of scripts that are not there; their methods and properties have none. */
  readonly missingFiles: readonly string[];
}

/**
 * Reads a document, of older forms too, and checks all that can be checked without a schema. `code`: files of scripts, by their path in
 * the folder of the schema. The document is changed. Throws `SchemaError` with the places of what is wrong.
 */
export function readSchema(document: JsonValue, code?: CodeFiles): ReadDocument {
  const findings = new Findings();
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    findings.problem('the schema', 'must be a JSON object with the key definitions');
    findings.throwProblems();
    throw new Error('unreachable');
  }
  const root = new Place('', document, findings);
  if (!root.has('definitions')) root.problem('is missing', 'definitions');
  if (!root.has('methods')) root.notice('is missing: the document is of an old version', 'methods');
  root.onlyKeys(new Set(['definitions', 'methods', 'id']));
  let missingFiles: string[] = [];
  if (hasCodeFiles(document)) {
    if (code === undefined) root.problem('has scripts in files, which are not there', 'definitions');
    else missingFiles = joinCode(document, code);
  }
  findings.throwProblems();
  const { types, relations } = readDefinitions(root);
  const functions = readFunctions(root);
  findings.throwProblems();
  const model = { types: inOrder(types), relations: inOrder(relations), functions: inOrder(functions) };
  return { model, notices: findings.notices, missingFiles };
}

function readDefinitions(root: Place): { types: TypeModel[]; relations: RelationModel[] } {
  const types: TypeModel[] = [];
  const relations: RelationModel[] = [];
  const seen = new Map<string, string>();
  let count = 0;
  for (const [name, place] of root.objects('definitions')) {
    if (++count > MOST_DEFINITIONS) {
      root.problem(`has more than ${String(MOST_DEFINITIONS)} entries`, 'definitions');
      break;
    }
    if (isRelation(place)) {
      const relation = readRelation(place);
      if (relation === undefined) continue;
      const other = seen.get(relation.name);
      if (other !== undefined) place.problem(`is the same relation as ${other}`);
      seen.set(relation.name, place.path);
      relations.push(relation);
    } else {
      const type = readType(name, place);
      if (type !== undefined) types.push(type);
    }
  }
  return { types, relations };
}

function readFunctions(root: Place): MethodModel[] {
  const functions: MethodModel[] = [];
  const seen = new Set<string>();
  for (const place of root.elements('methods')) {
    const name = place.text('name') ?? '';
    if (!METHOD_NAME.test(name)) place.problem(`is no name of a function (${METHOD_NAME.source})`, 'name');
    if (seen.has(name)) place.problem(`there is another function ${name}`, 'name');
    seen.add(name);
    functions.push(corrected(readMethod(name, place, true), 'function'));
  }
  return functions;
}
