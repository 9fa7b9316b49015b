/** What a thread makes of events of the analytics log: see `analytics/digest/`. */
import { Aggregate } from '../../main/analytics/digest/aggregate.js';
import { List } from '../../main/analytics/digest/listing.js';
import { Summary } from '../../main/analytics/digest/overview.js';
import type { Question } from '../../main/analytics/digest/question.js';
import type { OpenDigester } from '../../shared/digest.js';

export const open: OpenDigester = (options, check) => {
  const question = options as Question;
  switch (question.kind) {
    case 'aggregation':
      return new Aggregate(question, check);
    case 'listing':
      return new List(question, check);
    case 'overview':
      return new Summary(question);
  }
};
