/** Trees of pages as tests look at them, over REST. */
import type { Answer, Client } from './client.js';

/** Creates an element: of `type`, with its tag. */
export function element(client: Client, type: string, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return client.create(type, { tag: type.toLowerCase(), name: type.toLowerCase(), ...fields });
}

/** A page with `html > body`; ids. */
export async function emptyPage(
  client: Client,
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly page: string; readonly html: string; readonly body: string }> {
  const page = await client.create('Page', { name, contentType: 'text/html', ...fields });
  const html = await element(client, 'Html', { parent: page, ...fields });
  const body = await element(client, 'Body', { parent: html, ...fields });
  return { page, html, body };
}

/** Ids of the children of a node, as `children` shows them. */
export async function childrenOf(client: Client, id: string): Promise<string[]> {
  const answer = await client.get(`/DOMNode/${id}/children?_pageSize=100000`);
  return (answer.body.result as { id: string }[]).map((one) => one.id);
}

/** Names of the children of a node, in their order. */
export async function namesOf(client: Client, id: string): Promise<string[]> {
  const answer = await client.get(`/DOMNode/${id}/children`);
  return (answer.body.result as { name: string }[]).map((one) => one.name);
}

/** `position` of the links from a node to its children, by child. */
export async function positionsOf(client: Client, id: string): Promise<Map<string, number>> {
  const answer = await client.get(`/DOMNodeCONTAINSDOMNode/all?sourceId=${id}`);
  const links = answer.body.result as { targetId: string; position: number }[];
  return new Map(links.map(({ targetId, position }) => [targetId, position]));
}

/** The order of children, and that it is kept without gaps. */
export async function orderOf(
  client: Client,
  id: string,
): Promise<{ ids: string[]; positions: (number | undefined)[] }> {
  const ids = await childrenOf(client, id);
  const positions = await positionsOf(client, id);
  return { ids, positions: ids.map((child) => positions.get(child)) };
}

/** One object in the view `all`. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export async function stateOf(client: Client, id: string): Promise<any> {
  const answer = await client.get(`/DOMNode/${id}/all`);
  if (answer.status !== 200) throw new Error(`${id} answered ${String(answer.status)}: ${answer.text}`);
  return answer.body.result;
}

/** The page of a node; null: it is in the recycle bin. */
export async function pageOf(client: Client, id: string): Promise<string | null> {
  return (await stateOf(client, id)).pageId as string | null;
}

/** Calls a method of a node. */
export function call(client: Client, id: string, method: string, input: object = {}): Promise<Answer> {
  return client.post(`/DOMNode/${id}/${method}`, input);
}
