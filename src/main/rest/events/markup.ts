/** Actions of events that make nodes of HTML, which a property of an object has (docs/interface/pages.md 7.3). */
import type { GraphNode } from '../../graph/index.js';
import { boundedBy, buildBelow, buildInstead, readHtml, type HtmlNode } from '../../pages/index.js';
import type { ObjectTransaction } from '../../schema/index.js';
import { scriptValue } from '../../scripting/index.js';
import { sendEntities } from '../answer/envelope.js';
import { RestError } from '../errors.js';
import { read } from '../read.js';
import { findEntity } from '../resources/objects/entity.js';
import { write } from '../write.js';
import { nodeOfPage } from './objects.js';
import type { SentEvent } from './sent-event.js';
import { targetsOf } from './targets.js';

/** A property, and nothing that calls something. */
const PROPERTY = /^[A-Za-z_]\w*$/;

/** Puts the HTML behind the last child of each target, before `childId` where the request names one. */
export async function insertHtml(event: SentEvent): Promise<void> {
  const childId = event.control.get('childId');
  const nodes = await htmlOf(event);
  const ids = await targetsOf(event);
  await changed(event, ids, async (objects, target) => {
    const before = childId === undefined ? undefined : await nodeOfPage(event, objects.tx, childId);
    // Somebody else may have written the value: nothing in it runs, whoever has pressed the button.
    return buildBelow(objects, target, nodes, 'data', before);
  });
}

/** Puts the HTML in the place of a child of the target, which goes to the recycle bin. */
export async function replaceHtml(event: SentEvent): Promise<void> {
  const childId = event.control.get('childId');
  if (childId === undefined) {
    throw new RestError(422, 'Cannot execute the action replace-html without a child (childId).');
  }
  const nodes = await htmlOf(event);
  const ids = await targetsOf(event);
  await changed(event, ids, async (objects, target) =>
    buildInstead(objects, target, await nodeOfPage(event, objects.tx, childId), nodes, 'data'),
  );
}

async function changed(
  event: SentEvent,
  ids: readonly string[],
  work: (objects: ObjectTransaction, target: GraphNode) => Promise<readonly GraphNode[]>,
): Promise<void> {
  const { request } = event;
  const made = await write(
    request,
    'DOMNode',
    async (objects) => {
      const all: string[] = [];
      for (const id of ids) {
        const target = await nodeOfPage(event, objects.tx, id);
        all.push(...(await work(objects, target)).map((one) => one.id));
      }
      return all;
    },
    true,
  );
  await read(request, async (tx) => {
    await sendEntities(
      request,
      tx,
      (await tx.nodes(made)).flatMap((node) => node ?? []),
      undefined,
    );
  });
}

/** What the property of the source says, as the caller may read it, made nodes on a thread. */
async function htmlOf({ request, control, mapping, element }: SentEvent): Promise<readonly HtmlNode[]> {
  const action = String(mapping.properties['action']);
  const [id = '', property = ''] = [control.get('sourceObject'), control.get('sourceProperty')];
  if (!request.settings.write.idPattern.test(id) || !PROPERTY.test(property)) {
    const message = `Cannot execute the action ${action} without an object and its property (sourceObject, sourceProperty).`;
    throw new RestError(422, message);
  }
  const source = await read(request, (tx) => findEntity(request, tx, undefined, id));
  const { scripting } = request.services;
  const title = `Event of ${element.type} ${element.id}`;
  const html = await scripting.inTransaction(title, request, async (context) => {
    const constants = new Map([['source', context.run.entities.of(source)]]);
    return scriptValue(`source.${property}`, { ...context, constants });
  });
  if (typeof html !== 'string') {
    throw new RestError(422, `Cannot execute the action ${action}: ${property} of ${source.type} ${id} is no text.`);
  }
  return readHtml(html, {
    what: `The action ${action}`,
    threads: scripting.parts.threads,
    run: boundedBy(request.exchange, request.services.config),
  });
}
