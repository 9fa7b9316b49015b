/** One line of the table. */
import type { Series } from './context.js';

export interface Result {
  readonly case: number;
  readonly title: string;
  readonly unit: string;
  readonly baselineTitle?: string;
  readonly baseline?: Series;
  readonly svc: Series;
  /** What the goal is about: svc / baseline, or the value itself where there is no baseline. */
  readonly figure: number;
  /** The same from CPU time a request, which a slow client does not flatter. */
  readonly cpuFigure?: number;
  /** Text of the goal. */
  readonly goal: string;
  readonly met: boolean;
  readonly note?: string;
}

/** Compares rates: the goal is at least `goal` times the baseline. */
export function rateResult(
  about: Pick<Result, 'case' | 'title' | 'unit' | 'baselineTitle' | 'note'>,
  { baseline, svc }: { baseline: Series; svc: Series },
  goal: number,
): Result {
  const figure = svc.median / baseline.median;
  const cpuFigure = baseline.cpu === undefined || svc.cpu === undefined ? undefined : baseline.cpu / svc.cpu;
  return {
    ...about,
    baseline,
    svc,
    figure,
    ...(cpuFigure === undefined ? {} : { cpuFigure }),
    goal: goal < 1 ? `≥ ${String(Math.round(goal * 100))} %` : `≥ ${String(goal)} ×`,
    // The goals are on rates. The figure by CPU time stands beside it: the load's own process can hold back a baseline.
    met: figure >= goal,
  };
}

/** The same with a goal on processor time a request, where the system tells it: that is the same however busy the machine is. */
export function processorResult(
  about: Pick<Result, 'case' | 'title' | 'unit' | 'baselineTitle' | 'note'>,
  sides: { baseline: Series; svc: Series },
  goal: number,
): Result {
  const result = rateResult(about, sides, goal);
  return { ...result, goal: `${result.goal} of CPU`, met: (result.cpuFigure ?? result.figure) >= goal };
}

/** Compares times or sizes: the goal is at most `goal` times the baseline. */
export function growthResult(
  about: Pick<Result, 'case' | 'title' | 'unit' | 'baselineTitle' | 'note'>,
  { baseline, svc }: { baseline: Series; svc: Series },
  goal: number,
  figure = svc.median / baseline.median,
): Result {
  return { ...about, baseline, svc, figure, goal: `≤ ${String(goal)} ×`, met: figure <= goal };
}

/** A limit without a baseline. */
export function limitResult(
  about: Pick<Result, 'case' | 'title' | 'unit' | 'note'>,
  svc: Series,
  limit: number,
): Result {
  return { ...about, svc, figure: svc.median, goal: `≤ ${String(limit)} ${about.unit}`, met: svc.median <= limit };
}

/** A rate that has to be reached, without a baseline. */
export function limitBelow(
  about: Pick<Result, 'case' | 'title' | 'unit' | 'note'>,
  svc: Series,
  limit: number,
): Result {
  return { ...about, svc, figure: svc.median, goal: `≥ ${String(limit)} ${about.unit}`, met: svc.median >= limit };
}
