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
  #base;
  #headers;
  #user;

  constructor({ url, user, password }) {
    this.url = url.replace(/\/+$/, '');
    this.#base = `${this.url}/svc/rest`;
    this.#user = user;
    this.#headers = { 'X-User': user, 'X-Password': password };
  }

  async #send(method, path, body) {
    let answer;
    try {
      answer = await fetch(this.#base + path, {
        method,
        headers: { ...this.#headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
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
}
