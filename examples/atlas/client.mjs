/** The public REST interface, by fetch alone. */

/** Something the user can do something about; its message is one line. */
export class AtlasError extends Error {}

/** What the server says is wrong, with the tokens that name type and property. */
function explain(status, text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return `${status} ${text.slice(0, 200)}`;
  }
  const tokens = (body.errors ?? []).slice(0, 3).map((e) => {
    const of = [e.type, e.property].filter(Boolean).join('.');
    return [of, e.token, e.detail === undefined ? '' : `(${e.detail})`].filter(Boolean).join(' ');
  });
  return [`${status} ${body.message ?? ''}`.trim(), ...tokens].join('; ').replaceAll('\n', ' ');
}

export class AtlasClient {
  #headers;
  #user;

  constructor({ url, user, password }) {
    this.url = url.replace(/\/+$/, '');
    this.#user = user;
    this.#headers = { 'X-User': user, 'X-Password': password };
  }

  /** The text of the answer to a request that was granted. */
  async #answer(method, path, headers, body) {
    let answer;
    try {
      answer = await fetch(this.url + path, {
        method,
        headers: { ...this.#headers, ...headers },
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      throw new AtlasError(
        `no server answers at ${this.url} (${error.cause?.code ?? error.message}): start one with \`npm start\`, or name it with --url`,
        { cause: error },
      );
    }
    const text = await answer.text();
    if (answer.status === 401 || answer.status === 403) {
      throw new AtlasError(
        `the server does not let user '${this.#user}' in (${answer.status}): name an administrator with --user and --password`,
      );
    }
    if (!answer.ok)
      throw new AtlasError(`${method} ${path.split('?')[0]} was refused: ${explain(answer.status, text)}`);
    return text;
  }

  async #send(method, path, body) {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const content = body === undefined ? undefined : JSON.stringify(body);
    const text = await this.#answer(method, `/svc/rest${path}`, headers, content);
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new AtlasError(`${this.url} answers, but is no svc server (no JSON at ${path.split('?')[0]})`, {
        cause: error,
      });
    }
  }

  /** One page of a type; `parameters` are those of the query. */
  get(path, parameters = {}) {
    const query = new URLSearchParams(parameters).toString();
    return this.#send('GET', query === '' ? path : `${path}?${query}`);
  }

  /** How many objects of a type there are. */
  async count(type) {
    const { result_count: count } = await this.get(`/${type}`, { _pageSize: 1, _forceResultCount: 1 });
    return count;
  }

  /** Creates the objects in one transaction; returns their ids in the same order. */
  async create(type, objects) {
    const { result } = await this.#send('POST', `/${type}`, objects);
    return result;
  }

  /** Changes objects, each known by its `id`, in one transaction. */
  async change(type, objects) {
    await this.#send('PATCH', `/${type}`, objects);
  }

  async remove(type, id) {
    await this.#send('DELETE', `/${type}/${id}`);
  }

  /** Uploads a file that everybody may read, to be found at `/<name>`. */
  async upload({ name, type, content }) {
    const form = new FormData();
    form.set('visibleToPublicUsers', 'true');
    form.set('visibleToAuthenticatedUsers', 'true');
    form.set('file', new Blob([content], { type }), name);
    const id = await this.#answer('POST', '/svc/upload', {}, form);
    // Out of the folder for uploads.
    await this.change('File', [{ id, parent: null }]);
  }
}
