/** Work of an engine as phases of a job. */
import type { JobControl } from '../../files/index.js';
import type { Steps } from '../../graph/index.js';

/** `counted` gets how many objects are done with each step. */
export function stepsOf(job: JobControl, counted: (objects: number) => void = () => undefined): Steps {
  return {
    begin: (what, total) => {
      job.phase(what, total);
    },
    done: async (objects) => {
      counted(objects);
      if (objects > 0) job.chunk({ objects });
      await job.checkpoint();
    },
  };
}
