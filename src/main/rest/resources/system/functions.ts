/** `/_functions`: what scripts can call and name, with its documentation, for editors (docs/interface/script-runtime.md 10.2). */
import { functionList } from '../../../scripting/index.js';
import { sendValue } from '../../answer/envelope.js';
import type { Resolver } from '../../context.js';

export const resolveFunctions: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== '_functions') return undefined;
  return {
    signature: '_functions',
    allow: ['GET', 'OPTIONS'],
    verbs: {
      GET: (request) => {
        const result = functionList();
        return sendValue(request, [...result], result.length, performance.now() - request.startedAt);
      },
    },
  };
};
