/** Mail templates on the server (docs/interface/builtin-types.md 7, security.md 7.4). */
import { exactly } from '../server/named.js';
import { create, list, read, remove, type Entity } from '../server/rest.js';
import { saveValues } from '../server/save-over.js';

/** What can be edited. */
export interface Draft {
  readonly name: string;
  readonly locale: string;
  readonly description: string;
  readonly text: string;
  readonly visibleToPublicUsers: boolean;
  readonly visibleToAuthenticatedUsers: boolean;
}

export type Field = keyof Draft;

/** A line of the list. */
export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly locale: string;
  readonly description: string;
}

const PAGE_SIZE = 200;
const FIELDS = [
  'name',
  'locale',
  'description',
  'text',
  'visibleToPublicUsers',
  'visibleToAuthenticatedUsers',
] as const;

const PREFIXES = ['CONFIRM_REGISTRATION_', 'EXISTING_REGISTRATION_', 'RESET_PASSWORD_'];
const ENDS =
  'SENDER_NAME SENDER_ADDRESS SUBJECT TEXT_BODY HTML_BODY BASE_URL PAGE TARGET_PAGE ERROR_PAGE CONFIRMATION_KEY_KEY TARGET_PAGE_KEY ERROR_PAGE_KEY'.split(
    ' ',
  );
/** Names that the server looks for. */
export const KNOWN_NAMES: readonly string[] = PREFIXES.flatMap((prefix) => ENDS.map((end) => `${prefix}${end}`));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function draftOf(entity: Entity): Draft {
  return {
    name: textOf(entity.name),
    locale: textOf(entity['locale']),
    description: textOf(entity['description']),
    text: textOf(entity['text']),
    visibleToPublicUsers: entity['visibleToPublicUsers'] === true,
    visibleToAuthenticatedUsers: entity['visibleToAuthenticatedUsers'] === true,
  };
}

/** The first `pages` pages of templates whose name has the text, by name and language. Throws `RefusedError`. */
export async function loadTemplates(
  text: string,
  pages: number,
  signal?: AbortSignal,
): Promise<{ readonly templates: readonly Listed[]; readonly hasMore: boolean }> {
  const { result, result_count: count } = await list(
    'MailTemplate',
    {
      ...(text === '' ? {} : { name: text, _inexact: 1 }),
      _sort: ['name', 'locale'],
      _page: 1,
      _pageSize: PAGE_SIZE * pages,
    },
    { properties: ['id', 'type', 'name', 'locale', 'description'], ...(signal === undefined ? {} : { signal }) },
  );
  const templates = result.map((entity) => ({ id: entity.id, ...draftOf(entity) }));
  return { templates, hasMore: count === undefined || count > templates.length };
}

export async function loadTemplate(id: string): Promise<Draft> {
  return draftOf(await read<Entity>(`MailTemplate/${encodeURIComponent(id)}/ui`));
}

/** Whether there is another one of this name and language. */
export async function isThere(name: string, locale: string): Promise<boolean> {
  const { result } = await list(
    'MailTemplate',
    { ...exactly('name', name), _pageSize: 1_000, _page: 1 },
    { properties: ['id', 'type', 'name', 'locale'] },
  );
  return result.some((one) => one.name === name && textOf(one['locale']) === locale);
}

export const differing = (a: Draft, b: Draft): readonly Field[] => FIELDS.filter((field) => a[field] !== b[field]);

/** Writes what differs; empty languages and descriptions are none. `met`: what others have changed too; then nothing was written. */
export async function saveTemplate(
  id: string,
  before: Draft,
  draft: Draft,
): Promise<{ readonly met: readonly Field[]; readonly now: Draft }> {
  const { met, now } = await saveValues({
    path: `MailTemplate/${encodeURIComponent(id)}`,
    base: { ...before },
    changed: Object.fromEntries(differing(before, draft).map((field) => [field, draft[field]])),
    valuesOf: (entity) => ({ ...draftOf(entity) }),
    inputOf: (changed) =>
      Object.fromEntries(
        Object.entries(changed).map(([field, value]) => [field, value === '' && field !== 'text' ? null : value]),
      ),
  });
  return { met: FIELDS.filter((field) => met.some(({ key }) => key === field)), now: now as unknown as Draft };
}

export const createTemplate = (draft: Draft): Promise<string> =>
  create('MailTemplate', {
    ...draft,
    locale: draft.locale === '' ? null : draft.locale,
    description: draft.description === '' ? null : draft.description,
  });

export const removeTemplate = (id: string): Promise<void> => remove(`MailTemplate/${encodeURIComponent(id)}`);

/** Whether a mail of this is HTML. */
export const isHtml = ({ name, text }: Pick<Draft, 'name' | 'text'>): boolean =>
  name.endsWith('HTML_BODY') || /<(?:!doctype|\/?[a-z][\w-]*)[\s>/]/i.test(text);
