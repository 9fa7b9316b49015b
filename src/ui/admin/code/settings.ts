/** How a method is called, on the server: what the form beside its source edits (docs/interface/schema.md 12). */
import { RefusedError } from '../../common/request.js';
import { change, list, readState, type Entity } from '../server/rest.js';
import { editedOf, metIn, rebased } from '../server/rebase.js';
import { onlyOver, saveOver, type Met } from '../server/save-over.js';
import { nameOf } from './kinds.js';

export const FLAGS = ['isStatic', 'isPrivate', 'returnRawResult', 'wrapJsInMain'] as const;

export interface Parameter {
  readonly id?: string;
  readonly name: string;
  readonly parameterType: string;
}

export interface Settings extends Readonly<Record<(typeof FLAGS)[number], boolean>> {
  readonly name: string;
  readonly httpVerb: string;
  readonly parameters: readonly Parameter[];
}

const FIELDS: readonly (keyof Settings)[] = ['name', 'httpVerb', ...FLAGS, 'parameters'];

export interface Seen {
  /** Undefined: the method is gone. */
  readonly settings: Settings | undefined;
  /** Tag of the state of the method (rest.md 4.6). */
  readonly state?: string | undefined;
}

/** Reads them. Throws `RefusedError`, but not for a method that is gone. */
export async function readSettings(id: string): Promise<Seen> {
  try {
    const [{ entity, state }, { result }] = await Promise.all([
      readState(`SchemaMethod/${id}/all`, {}, { properties: ['id', 'name', 'httpVerb', ...FLAGS] }),
      list(`SchemaMethod/${id}/parameters`, {}, { properties: ['id', 'name', 'parameterType', 'index'] }),
    ]);
    return { settings: settingsOf(entity, result), state };
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return { settings: undefined };
    throw error;
  }
}

function settingsOf(method: Entity, parameters: readonly Entity[]): Settings {
  return {
    name: method.name ?? '',
    httpVerb: nameOf(method['httpVerb']) || 'POST',
    isStatic: method['isStatic'] === true,
    isPrivate: method['isPrivate'] === true,
    returnRawResult: method['returnRawResult'] === true,
    wrapJsInMain: method['wrapJsInMain'] !== false,
    parameters: [...parameters]
      .sort((a, b) => Number(a['index'] ?? 0) - Number(b['index'] ?? 0))
      .map((one) => ({ id: one.id, name: nameOf(one), parameterType: nameOf(one['parameterType']) })),
  };
}

/** What is stored, with what was typed since `before`. */
export function typedOver(stored: Settings, before: Settings, typed: Settings): Settings {
  const next = rebased(typed, before, stored);
  // Those that were made meanwhile are the same ones.
  const parameters = next.parameters.map(({ id, name, parameterType }) => {
    const known = id ?? stored.parameters.find((one) => one.name === name)?.id;
    return { ...(known === undefined ? {} : { id: known }), name, parameterType };
  });
  return { ...next, parameters };
}

/**
 * Writes the fields that were edited over what was read. Returns those that somebody else has edited too (then nothing was written), and what there is
 * now. Throws `RefusedError`.
 */
export async function saveSettings(
  id: string,
  known: Seen,
  edited: Settings,
): Promise<{ readonly met: readonly Met[]; readonly now: Seen }> {
  const { settings: base } = known;
  const fields = base === undefined ? FIELDS : editedOf(edited, base);
  const input = Object.fromEntries(
    fields.map((field) => [
      field,
      field === 'parameters' ? edited.parameters.map((one, index) => ({ ...one, index })) : edited[field],
    ]),
  );
  const meets = metIn(edited, base ?? edited);
  const { met, seen } = await saveOver<Seen, Met>(known, {
    look: () => readSettings(id),
    met: ({ settings: now }, { settings: before }) => {
      if (now === undefined || before === undefined) return now === before ? [] : [{ key: '', theirs: undefined }];
      return meets(now, before).map(({ key, theirs }) => ({
        key,
        theirs: key === 'parameters' ? now.parameters.map(parameterOf).join(', ') : theirs,
      }));
    },
    write: ({ state }) => change(`SchemaMethod/${id}`, input, onlyOver(state)),
    // Parameters are links.
    looksFirst: true,
  });
  return { met, now: met.length > 0 ? seen : await readSettings(id) };
}

const parameterOf = ({ name, parameterType }: Parameter): string => `${name}: ${parameterType}`;
