/** Sites of a test, whose pages are imported. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export type Reply = (request: IncomingMessage, response: ServerResponse) => void;

export const of =
  (type: string, body: string | Buffer, status = 200): Reply =>
  (_request, response) => {
    response.writeHead(status, { 'Content-Type': type }).end(body);
  };
export const html = (body: string): Reply => of('text/html; charset=utf-8', body);
export const css = (body: string): Reply => of('text/css', body);
export const leadsTo =
  (location: string): Reply =>
  (_request, response) => {
    response.writeHead(302, { Location: location }).end();
  };

/** A site that answers what `routes` says, by path; `asked` gets each path. */
export async function listen(routes: ReadonlyMap<string, Reply>, asked: string[]): Promise<Server> {
  const one = createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    const reply = routes.get(path);
    if (reply === undefined) response.writeHead(404, { 'Content-Type': 'text/html' }).end('<p>nothing here');
    else reply(request, response);
  });
  one.listen(0, '127.0.0.1');
  await once(one, 'listening');
  return one;
}
