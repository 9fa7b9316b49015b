/** What every engine promises of reads, where a follower of the graph reads (docs/design/threads.md 4 to 6). */
import { accessConformance } from './access-conformance.js';
import { conformance } from './conformance.js';
import { followed } from './followed.js';
import { opener } from './openers.js';
import { textConformance } from './text-conformance.js';

conformance('a follower', opener({}, followed));
conformance('a follower, writing in a thread', opener({ threadFrom: 0 }, followed));
accessConformance('a follower', opener({}, followed));
textConformance('a follower', opener({}, followed));
accessConformance(
  'a follower, every query in a worker',
  opener({ loopBudget: 0 }, (graph) => followed(graph, { loopBudget: 0 })),
);
