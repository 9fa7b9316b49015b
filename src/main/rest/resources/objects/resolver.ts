/** `/resolver`: objects by their ids, in the order asked for (docs/interface/rest.md 1.2). */
import { readable } from '../../../schema/index.js';
import type { Resolver } from '../../context.js';
import { sendEntities } from '../../answer/envelope.js';
import { RestError } from '../../errors.js';
import { read } from '../../read.js';

const USAGE = "Send a JSON object containing an array named 'ids' to use this endpoint.";

export const resolveResolver: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== 'resolver') return undefined;
  return {
    signature: 'resolver',
    allow: ['OPTIONS', 'POST'],
    verbs: {
      async POST(request) {
        const ids = request.body.objects[0]?.['ids'];
        if (!Array.isArray(ids)) throw new RestError(422, USAGE);
        await read(request, async (tx) => {
          const found = (await tx.nodes(ids.map(String))).filter((n) => n !== undefined);
          // The reference shows objects here that the caller may not see; a flaw, not copied.
          const typed = found.filter((n) => request.schema.type(n.type) !== undefined);
          await sendEntities(request, tx, await readable(tx, request.access, typed), undefined);
        });
      },
    },
  };
};
