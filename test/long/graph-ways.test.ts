/** What the engine promises, by the ways that `npm test` leaves out: conflicts that are looked for late, in a thread and in workers. */
import { accessConformance } from '../graph/access-conformance.js';
import { conformance } from '../graph/conformance.js';
import { opener } from '../graph/openers.js';
import { optimistic } from '../graph/optimistic.js';
import { textConformance } from '../graph/text-conformance.js';

accessConformance('sqlite, writing in a thread', opener({ threadFrom: 0 }));
textConformance('sqlite, writing in a thread', opener({ threadFrom: 0 }));
textConformance('sqlite, every query in a worker or in slices', opener({ loopBudget: 0 }));
accessConformance('optimistic', opener({}, optimistic));
textConformance('optimistic', opener({}, optimistic));
conformance('optimistic, writing in a thread', opener({ threadFrom: 0 }, optimistic), { queues: false });
accessConformance('optimistic, every query in a worker or in slices', opener({ loopBudget: 0 }, optimistic));
