/** `/_cluster`: the instances that share the database, and which of them is the coordinator. */
import type { JsonObject } from '../../../../shared/json/index.js';
import type { Resolver } from '../../context.js';
import { sendValue } from '../../answer/envelope.js';

export const resolveCluster: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== '_cluster') return undefined;
  return {
    signature: '_cluster',
    allow: ['GET', 'OPTIONS'],
    verbs: {
      async GET(request) {
        const members = await request.services.cluster.members();
        const state: JsonObject = {
          coordinator: members.find((one) => one.coordinator)?.name ?? null,
          members: members.map((one) => ({ ...one })),
        };
        await sendValue(request, state, 1, performance.now() - request.startedAt);
      },
    },
  };
};
