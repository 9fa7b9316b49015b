/** What is wrong with an expression of a schedule. */
import { Cron } from 'croner';

/** Second, minute, hour, day of month, month, day of week. */
const FIELDS = 6;

/** Undefined: nothing. */
export function cronProblem(expression: string): string | undefined {
  if (expression.split(/\s+/).length !== FIELDS)
    return `"${expression}" does not have six fields, beginning with seconds`;
  try {
    new Cron(expression, { paused: true }).stop();
    return undefined;
  } catch (error) {
    return `"${expression}" is no cron expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}
