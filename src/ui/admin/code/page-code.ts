/** Scripts in attributes of the elements of a page, and in what its actions say. */
import { fewAtOnce } from '../server/few-at-once.js';
import { list, type Entity } from '../server/rest.js';
import { ACTION_KEYS, ATTRIBUTE_KEYS, attributeType, nameOf } from './kinds.js';

/** Elements of one page that are looked at. */
const MOST = 4_000;
const PAGE = 500;
/** Actions that one query names. */
const AT_ONCE = 50;

export interface Scripted {
  readonly type: string;
  readonly key: string;
  readonly object: Entity;
  readonly title: string;
}

const isScripted = (value: unknown): boolean => nameOf(value).includes('${');

/** The elements of a page one page of the list after the other; what is behind the last is found by searching. */
async function elementsOf(page: string): Promise<readonly Entity[]> {
  const found: Entity[] = [];
  for (let n = 1; found.length < MOST; n++) {
    const { result } = await list(
      'DOMElement',
      { ownerDocument: page, _pageSize: PAGE, _page: n, _disableSoftLimit: 1 },
      { properties: ['id', 'type', 'name', 'tag', 'triggeredActions', ...ATTRIBUTE_KEYS] },
    );
    found.push(...result);
    if (result.length < PAGE) break;
  }
  return found;
}

const titleOf = ({ name, tag, type }: Entity & Readonly<Record<string, unknown>>): string =>
  (name ?? '') || nameOf(tag) || type;

/** What of the elements of a page and of their actions has scripts. */
export async function codeOfElements(page: string): Promise<readonly Scripted[]> {
  const elements = await elementsOf(page);
  const attributes = elements.flatMap((object) =>
    ATTRIBUTE_KEYS.filter((key) => isScripted(object[key])).flatMap((key) => {
      const type = attributeType(object.type, key);
      return type === undefined ? [] : [{ type, key, object, title: `${titleOf(object)} ${key.slice(6)}` }];
    }),
  );
  const owners = new Map<string, string>();
  for (const element of elements)
    for (const { id } of (element['triggeredActions'] ?? []) as readonly Entity[]) owners.set(id, titleOf(element));
  return [...attributes, ...(await codeOfActions(owners))];
}

/** `owners`: the titles of elements by the ids of their actions. */
async function codeOfActions(owners: ReadonlyMap<string, string>): Promise<readonly Scripted[]> {
  const ids = [...owners.keys()];
  const found: Scripted[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    const [actions, parameters] = await Promise.all([
      list('ActionMapping', { id: some.join(';') }, { properties: ['id', 'type', 'event', 'action', ...ACTION_KEYS] }),
      fewAtOnce(some, (id) =>
        list(
          'ParameterMapping',
          { actionMapping: id, parameterType: 'script-expression' },
          { properties: ['id', 'type', 'name', 'parameterName', 'scriptExpression'] },
        ).then(({ result }) => result.map((object) => ({ object, action: id }))),
      ),
    ]);
    for (const object of actions.result)
      for (const key of ACTION_KEYS.filter((one) => isScripted(object[one])))
        found.push({ type: object.type, key, object, title: `${owners.get(object.id) ?? ''} ${key}` });
    for (const { object, action } of parameters.flat())
      if (nameOf(object['scriptExpression']) !== '')
        found.push({
          ...{ type: object.type, key: 'scriptExpression', object },
          title: `${owners.get(action) ?? ''} ${nameOf(object['parameterName'])}`,
        });
  }
  return found;
}
