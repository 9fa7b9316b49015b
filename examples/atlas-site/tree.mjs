/** Pages written as nested arrays, made over REST: `[tag, fields, ...children]`; a text is a `Content`. */

export const EVERYBODY = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
/** A node with these fields is shown to those who have logged in, or to the others, alone. */
export const USERS_ONLY = { visibleToPublicUsers: false, visibleToAuthenticatedUsers: true };
export const STRANGERS_ONLY = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: false };

async function createOne(client, type, object) {
  const [id] = await client.create(type, object);
  return id;
}

/** Makes what is in a page. `made`: ids of elements with a `name`; `actions`: what is to be linked when all are there. */
async function make(client, tree, parent, page, made, actions) {
  const place = { parent, ownerDocument: page };
  if (typeof tree === 'string') {
    await createOne(client, 'Content', { content: tree, ...EVERYBODY, ...place });
    return;
  }
  const [tag, { action, ...fields } = {}, ...children] = tree;
  const isTemplate = tag === 'Template';
  const type = tag.charAt(0).toUpperCase() + tag.slice(1);
  const id = await createOne(client, type, { ...(isTemplate ? {} : { tag }), ...EVERYBODY, ...fields, ...place });
  if (fields.name !== undefined) made.set(fields.name, id);
  if (action !== undefined) actions.push({ id, ...action });
  for (const child of children) await make(client, child, id, page, made, actions);
}

/** Makes a page of these trees, then the event actions in it; the page's id. */
export async function makePage(client, fields, trees) {
  const page = await createOne(client, 'Page', { contentType: 'text/html', ...EVERYBODY, ...fields });
  const made = new Map();
  const actions = [];
  for (const tree of trees) await make(client, tree, page, page, made, actions);
  const idOf = (name) => {
    const id = made.get(name);
    if (id === undefined) throw new Error(`the page ${fields.name} has no element named ${name}`);
    return id;
  };
  for (const { id, parameters = [], successTargets = [], ...mapping } of actions) {
    const actionMapping = await createOne(client, 'ActionMapping', {
      ...mapping,
      ...EVERYBODY,
      triggerElements: [id],
      successTargets: successTargets.map(idOf),
    });
    for (const { inputElement, ...parameter } of parameters) {
      const input = inputElement === undefined ? {} : { inputElement: idOf(inputElement) };
      await createOne(client, 'ParameterMapping', { ...parameter, ...input, ...EVERYBODY, actionMapping });
    }
  }
  return page;
}
