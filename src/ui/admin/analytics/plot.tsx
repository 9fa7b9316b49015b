/** A plot that follows the width, the scheme and the keyboard: arrows, Home and End go along it, and what is there is said below it. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useFormats } from '../texts/index.js';
import { colourOf, dashOf, lineVariable } from './colours.js';

const HEIGHT = 320;
/** Of labels below bars. */
const LABEL = 14;

/** One moment has something around it. */
const around: uPlot.Range.Function = (_, min, max) => (min === max ? [min - 3600, max + 3600] : [min, max]);

export interface Line {
  readonly name: string;
  readonly values: readonly number[];
}

export interface PlotProps {
  readonly label: string;
  /** Seconds for lines; places from 0 for bars. */
  readonly at: readonly number[];
  readonly lines: readonly Line[];
  readonly bars?: boolean;
  /** What stands at a place of the axis, and what a place is called in full. */
  readonly axisLabel: (at: number) => string;
  readonly fullLabel: (index: number) => string;
}

export function Plot({ label, at, lines, bars = false, axisLabel, fullLabel }: PlotProps): ReactNode {
  const { number } = useFormats();
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [place, setPlace] = useState<number>();
  const words = useRef({ number, axisLabel });
  words.current = { number, axisLabel };
  const drawn = JSON.stringify([at, lines, bars]);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    setPlace(undefined);
    const axis = {
      stroke: () => colourOf(element, '--soft'),
      grid: { stroke: () => colourOf(element, '--line'), width: 1 },
      ticks: { stroke: () => colourOf(element, '--line'), width: 1 },
      font: '12px system-ui, sans-serif',
    };
    const paths = bars ? uPlot.paths.bars?.({ size: [0.7, 80] }) : undefined;
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: HEIGHT,
      // Labels at the ends of the axis.
      padding: [16, 48, 0, 8],
      legend: { show: false },
      cursor: { y: false },
      scales: {
        x: bars ? { time: false, range: () => [-0.5, at.length - 0.5] } : { time: true, range: around },
        y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] },
      },
      axes: [
        {
          ...axis,
          ...(bars ? { splits: () => [...at], rotate: -40, size: 90, gap: 4 } : { space: 110 }),
          values: (_, splits) => splits.map((split) => words.current.axisLabel(split)),
        },
        {
          ...axis,
          size: 70,
          // Events are whole.
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7, 1e8, 1e9],
          values: (_, splits) => splits.map((split) => words.current.number(split)),
        },
      ],
      series: [
        {},
        ...lines.map(({ name }, i) => ({
          label: name,
          stroke: () => colourOf(element, lineVariable(i)),
          ...(bars ? { fill: () => colourOf(element, lineVariable(i)) } : { dash: dashOf(i) }),
          width: 2,
          ...(paths === undefined ? {} : { paths }),
          points: { show: !bars && at.length < 80 },
        })),
      ],
      hooks: {
        setCursor: [
          ({ cursor: { idx } }) => {
            setPlace(idx ?? undefined);
          },
        ],
      },
    };
    const data = [[...at], ...lines.map(({ values }) => [...values])] as unknown as uPlot.AlignedData;
    const made = new uPlot(options, data, element);
    plot.current = made;
    const sizes = new ResizeObserver(() => {
      if (element.clientWidth !== made.width) made.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    sizes.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => {
      made.redraw();
    };
    scheme.addEventListener('change', redraw);
    return () => {
      sizes.disconnect();
      scheme.removeEventListener('change', redraw);
      made.destroy();
      plot.current = undefined;
    };
  }, [drawn]);
  const go = (next: number): void => {
    const shown = plot.current;
    const where = at[next];
    if (shown !== undefined && where !== undefined) shown.setCursor({ left: shown.valToPos(where, 'x'), top: 10 });
  };
  const onKey = (event: KeyboardEvent): void => {
    const last = at.length - 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: Math.min(last, (place ?? -1) + 1),
      ArrowUp: Math.min(last, (place ?? -1) + 1),
      ArrowLeft: Math.max(0, (place ?? 1) - 1),
      ArrowDown: Math.max(0, (place ?? 1) - 1),
      PageUp: Math.min(last, (place ?? -1) + 10),
      PageDown: Math.max(0, (place ?? 1) - 10),
      Home: 0,
      End: last,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    go(next);
  };
  const said =
    place === undefined
      ? ''
      : `${fullLabel(place)}: ${lines.map(({ name, values }) => `${name} ${number(values[place] ?? 0)}`).join(', ')}`;
  return (
    <>
      <div
        className="plot"
        ref={host}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, at.length - 1)}
        aria-valuenow={place ?? 0}
        aria-valuetext={said === '' ? label : said}
        onKeyDown={onKey}
      />
      <p className="plot-place" aria-hidden="true">
        {said}
      </p>
      {lines.length < 2 ? null : (
        <ul className="plot-legend">
          {lines.map(({ name }, i) => (
            <li key={name}>
              <svg width="28" height="8" aria-hidden="true">
                <line
                  x1="0"
                  y1="4"
                  x2="28"
                  y2="4"
                  strokeWidth="3"
                  strokeDasharray={dashOf(i).join(' ')}
                  style={{ stroke: `var(${lineVariable(i)})` }}
                />
              </svg>
              <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A text that is short enough for an axis. */
export const shortened = (text: string): string => (text.length > LABEL ? `${text.slice(0, LABEL - 1)}…` : text);
