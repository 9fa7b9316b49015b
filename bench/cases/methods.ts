/** Case 17: what a method costs, in both languages, beside the same work done by requests without a script. */
import type { Context, Requests } from '../context.js';
import { growthResult, type Result } from '../result.js';
import { CREDENTIALS, type ServerProcess } from '../server-process.js';

const TYPE = 'BenchTask';
/** Objects that one look-up finds. */
const FOUND = 20;
const GROUPS = 256;
const GOAL = 4;

const FIND = `find('${TYPE}', 'group', `;
const LANGUAGES = [
  {
    name: 'JavaScript',
    function: 'benchJavaScript',
    source: `{
      const found = $.${FIND}$.methodParameters.group);
      found[0].state = $.methodParameters.state;
      return found;
    }`,
  },
  {
    name: 'expression',
    function: 'benchExpression',
    // What a list of expressions answers is text; a condition answers the list itself.
    source: `if(empty(set(first(${FIND}methodParameters.group)), 'state', methodParameters.state)),
      ${FIND}methodParameters.group), null)`,
  },
] as const;

/** Groups of objects, by their number: the ids of those that a look-up answers, in its order. */
type Groups = readonly (readonly string[])[];

export async function callMethods(context: Context): Promise<Result[]> {
  const server = await context.server(await context.dataset(context.options.objects.normal));
  const groups = await load(server);
  const { connections } = context.options;
  const plain = withoutScript(groups, connections);
  const results: Result[] = [];
  await context.warm(server, plain);
  for (const language of LANGUAGES) {
    const path = `/svc/rest/${language.function}`;
    await requireSameAnswer(server, path);
    const calls: Requests = {
      method: 'POST',
      requests: groups.map((_, i) => ({ path, body: JSON.stringify({ group: nameOf(i), state: i }) })),
    };
    await context.warm(server, calls);
    const { baseline, svc } = await context.compare(
      async () => {
        const { value, cpu } = await context.rate(server, plain);
        // Two requests do what one method does.
        return { value: value / 2, cpu: cpu === undefined ? undefined : cpu * 2 };
      },
      () => context.rate(server, calls),
    );
    const about = {
      case: 17,
      title: `find ${String(FOUND)}, change 1, answer them: ${language.name}`,
      unit: 'a second',
      baselineTitle: 'GET and PATCH',
      note: `by CPU time ${((svc.cpu ?? NaN) / (baseline.cpu ?? NaN)).toFixed(2)} times`,
    };
    results.push(growthResult(about, { baseline, svc }, GOAL, baseline.median / svc.median));
  }
  return results;
}

/** Each connection finds a group, then changes one of its objects. */
function withoutScript(groups: Groups, connections: number): Requests {
  const finds = groups.map((_, i) => ({ method: 'GET' as const, path: `/svc/rest/${TYPE}?group=${nameOf(i)}` }));
  const changes = groups.map(([first = ''], i) => ({
    method: 'PATCH' as const,
    path: `/svc/rest/${TYPE}/${first}`,
    body: JSON.stringify({ state: i }),
  }));
  const requests: Requests['requests'][number][] = [];
  for (let at = 0; at < groups.length; at += connections) {
    requests.push(...finds.slice(at, at + connections), ...changes.slice(at, at + connections));
  }
  return { method: 'GET', connections, requests };
}

function nameOf(group: number): string {
  return `group-${String(group)}`;
}

/** The type, its objects and the functions; made once. */
async function load(server: ServerProcess): Promise<Groups> {
  await server.request('POST', '/SchemaNode', {
    name: TYPE,
    schemaProperties: [
      { name: 'group', propertyType: 'String', indexed: true },
      { name: 'state', propertyType: 'Integer' },
      { name: 'title', propertyType: 'String' },
    ],
    schemaViews: [{ name: 'public', nonGraphProperties: 'id, name, group, state, title' }],
  });
  const objects = Array.from({ length: GROUPS * FOUND }, (_, i) => ({
    name: `Task ${String(i)}`,
    group: nameOf(i % GROUPS),
    state: 0,
    title: `Made for the bench, number ${String(i)} of its kind`,
  }));
  await server.request('POST', `/${TYPE}`, objects);
  for (const { function: name, source } of LANGUAGES) await server.request('POST', '/SchemaMethod', { name, source });
  const groups: string[][] = [];
  for (let i = 0; i < GROUPS; i++) {
    const { result } = await server.request('GET', `/${TYPE}?group=${nameOf(i)}`);
    groups.push((result as { id: string }[]).map(({ id }) => id));
  }
  return groups;
}

/** A method that did less than the requests would flatter itself. */
async function requireSameAnswer(server: ServerProcess, path: string): Promise<void> {
  const state = 1_000_000;
  const answer = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { ...CREDENTIALS, 'content-type': 'application/json' },
    body: JSON.stringify({ group: nameOf(0), state }),
  });
  const text = await answer.text();
  const { result = [] } = JSON.parse(text) as { result?: readonly { state: number }[] };
  const { result: found } = await server.request('GET', `/${TYPE}?group=${nameOf(0)}`);
  const changed = [result].flat().filter((one) => one.state === state);
  if (JSON.stringify(result) === JSON.stringify(found) && result.length === FOUND && changed.length === 1) return;
  throw new Error(`${path} answers other objects than GET: ${text.slice(0, 500)}`);
}
