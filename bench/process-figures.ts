/** What the operating system says about a process. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc; 100 on every Linux that Node runs on. */
const TICKS = 100;

/** CPU time all threads of a process have used so far, in seconds; undefined where there is no /proc. */
export function cpuSeconds(pid: number): number | undefined {
  return secondsOf(pid, 11);
}

/** The same of all children of this process that have ended. */
export function childrenSeconds(): number | undefined {
  return secondsOf(process.pid, 13);
}

/** In user mode and in the kernel, which are two fields behind each other. */
function secondsOf(pid: number, field: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The second field is a name in parentheses that may hold blanks: count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[field]) + Number(fields[field + 1])) / TICKS;
  } catch {
    return undefined;
  }
}

/** Resident memory of a process, in megabytes (10^6 bytes). */
export function residentMegabytes(pid: number): number {
  return (Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024) / 1e6;
}
