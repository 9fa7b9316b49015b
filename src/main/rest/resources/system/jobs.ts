/**
 * `/jobs`: work in the background on files, of this instance (docs/interface/imports.md 4). Administrators see all jobs, others their
 * own. `POST /jobs/<id>/<action>` pauses, resumes and ends one.
 */
import { JOB_ACTIONS, type JobAction } from '../../../files/index.js';
import type { Resolver } from '../../context.js';
import { sendEmpty, sendValue } from '../../answer/envelope.js';

const isAction = (word: string): word is JobAction => JOB_ACTIONS.some((action) => action === word);

export const resolveJobs: Resolver = (segments) => {
  const [first, number = '', action = ''] = segments;
  if (first !== 'jobs') return undefined;
  if (segments.length === 1) {
    return {
      signature: 'jobs',
      allow: ['GET', 'OPTIONS'],
      verbs: {
        GET: (request) => {
          const jobs = request.services.files.jobs.list(request.actor).map((job) => job.info(request.actor.isAdmin));
          return sendValue(request, jobs, jobs.length, performance.now() - request.startedAt);
        },
      },
    };
  }
  if (!/^[1-9]\d{0,14}$/.test(number)) return undefined;
  const id = Number(number);
  if (segments.length === 2) {
    return {
      signature: 'jobs/_id',
      allow: ['GET', 'OPTIONS'],
      verbs: {
        GET: async (request) => {
          const job = request.services.files.jobs.get(id, request.actor);
          const info = { ...job.info(request.actor.isAdmin), phases: job.phases() };
          await sendValue(request, info, 1, performance.now() - request.startedAt);
        },
      },
    };
  }
  if (segments.length !== 3 || !isAction(action)) return undefined;
  return {
    signature: `jobs/_id/${action}`,
    allow: ['OPTIONS', 'POST'],
    verbs: {
      POST: async (request) => {
        request.services.files.jobs.act(id, action, request.actor);
        await sendEmpty(request);
      },
    },
  };
};
