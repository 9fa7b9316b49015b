/** How moments are written, as exactly as their groups are long. */
import { useTexts } from '../texts/index.js';
import type { Unit } from './events.js';

const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };
const CLOCK: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' };
const FORMS: Readonly<Record<Unit, Intl.DateTimeFormatOptions>> = {
  year: { year: 'numeric' },
  month: { month: 'short', year: 'numeric' },
  week: DATE,
  day: DATE,
  hour: { ...DATE, ...CLOCK },
  minute: { ...DATE, ...CLOCK },
};

/** Writes a moment, in ms, in the locale of who reads. */
export function useTimes(unit: Unit): (time: number) => string {
  const { language } = useTexts();
  const locale = navigator.languages.find((name) => name.startsWith(language)) ?? language;
  const usual = new Intl.DateTimeFormat(locale, FORMS[unit]);
  const exact = new Intl.DateTimeFormat(locale, { ...DATE, ...CLOCK });
  return (time) => {
    const date = new Date(time);
    // Groups begin by the clock of the server: where that is another one, the hour is said, too.
    const elsewhere = unit !== 'hour' && unit !== 'minute' && (date.getHours() !== 0 || date.getMinutes() !== 0);
    return (elsewhere ? exact : usual).format(date);
  };
}
