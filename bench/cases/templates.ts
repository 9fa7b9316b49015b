/** Case 18: templates of 50 expressions, beside EJS and Handlebars, as a call in the server and as files over HTTP. */
import { Child } from '../child.js';
import type { TemplateEngine, TemplateOrder, TemplateResult } from '../children/templates.js';
import type { Context, Requests, Sample } from '../context.js';
import { limitBelow, rateResult, type Result } from '../result.js';
import type { ServerProcess } from '../server-process.js';
import { EXPRESSIONS, templates, type TemplateData } from '../templates.js';
import { PUBLIC, upload } from '../upload.js';

const TYPE = 'BenchPage';
/** Texts that one call of the method renders. */
const TIMES = 1000;
const GOAL = 0.25;
const GOAL_RATE = 5000;
const ENGINES: readonly TemplateEngine[] = ['ejs', 'handlebars'];
/** The same names, so that the texts are the same. */
const NAME = 'page.html';

type Templates = Child<TemplateOrder, TemplateResult>;

export async function fillTemplates(context: Context): Promise<Result[]> {
  const server = await context.fileServer();
  const children = ENGINES.map((): Templates => new Child('templates'));
  try {
    return [...(await calls(context, server, children)), ...(await files(context, server, children))];
  } finally {
    for (const child of children) await child.end();
  }
}

/** `replace()` over a list, in one request: what it takes for each element is the call in the server's own process. */
async function calls(context: Context, server: ServerProcess, children: readonly Templates[]): Promise<Result[]> {
  await server.request('POST', '/SchemaNode', {
    name: TYPE,
    schemaMethods: [
      {
        name: 'render',
        // Nothing is kept of what is rendered, on either side.
        source: 'if(empty(each(methodParameters.list, replace(methodParameters.template, this))), true, false)',
        returnRawResult: true,
      },
      { name: 'renderOne', source: 'replace(methodParameters.template, this)' },
    ],
  });
  const { result } = await server.request('POST', `/${TYPE}`, { name: NAME });
  const [id = ''] = result as string[];
  const template = templates().svc;
  const one = await server.request('POST', `/${TYPE}/${id}/renderOne`, { template });
  const data: TemplateData = { name: NAME, id, type: TYPE };
  const seconds = context.options.seconds;
  const list = Array.from({ length: TIMES }, (_, i) => i);
  const mine = async (): Promise<Sample> => {
    let texts = 0;
    const begin = performance.now();
    for (; performance.now() - begin < seconds * 1000; texts += TIMES) {
      await server.request('POST', `/${TYPE}/${id}/render`, { template, list });
    }
    return { value: texts / ((performance.now() - begin) / 1000) };
  };
  await mine();
  const results: Result[] = [];
  for (const [i, engine] of ENGINES.entries()) {
    const theirs = async (): Promise<Sample> => {
      const told = await children[i]?.call({ engine, data, seconds });
      if (told?.text !== one.result) throw new Error(`${engine} makes another text`);
      return { value: told?.rate ?? NaN };
    };
    const sides = await context.compare(theirs, mine);
    const about = { case: 18, title: `template of ${String(EXPRESSIONS)} expressions, called`, unit: 'texts/s' };
    results.push(rateResult({ ...about, baselineTitle: `${engine}, called` }, sides, GOAL));
    if (i === 0) results.push(limitBelow(about, sides.svc, GOAL_RATE));
  }
  return results;
}

async function files(context: Context, server: ServerProcess, children: readonly Templates[]): Promise<Result[]> {
  const id = await upload(server, NAME, new Blob([templates().svc]), { ...PUBLIC, isTemplate: 'true' });
  const text = await (await fetch(`${server.url}/${id}`)).text();
  const requests: Requests = {
    method: 'GET',
    headers: {},
    requests: Array.from({ length: context.options.connections }, () => ({ path: `/${id}` })),
  };
  await context.warm(server, requests);
  const results: Result[] = [];
  for (const [i, engine] of ENGINES.entries()) {
    const child = children[i];
    if (child === undefined) continue;
    const told = await child.call({ engine, data: { name: NAME, id, type: 'File' } });
    if (told.text !== text) throw new Error(`${engine} makes another text than the file`);
    const theirs = { url: `http://127.0.0.1:${String(told.port)}`, pid: child.pid };
    await context.warm(theirs, requests);
    const sides = await context.compare(
      () => context.rate(theirs, requests),
      () => context.rate(server, requests),
    );
    const title = `GET a template of ${String(EXPRESSIONS)} expressions`;
    const about = { case: 18, title, unit: 'requests/s', baselineTitle: `bare uWebSockets.js with ${engine}` };
    results.push(rateResult(about, sides, GOAL));
  }
  return results;
}
