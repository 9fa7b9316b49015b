/** Programs of the system that tests use: browsers, and those for videos. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** `CHROMIUM_PATH`, or the first of the usual names in `PATH`; undefined when there is none. */
export function chromiumPath(): string | undefined {
  return pathOf('CHROMIUM_PATH', ['chromium', 'chromium-browser', 'google-chrome']);
}

/** The same of Firefox, and `FIREFOX_PATH`. */
export function firefoxPath(): string | undefined {
  return pathOf('FIREFOX_PATH', ['firefox-esr', 'firefox']);
}

/** Whether there are ffmpeg and ffprobe in `PATH`; without them tests of videos are skipped, and say so. */
export function hasFfmpeg(): boolean {
  return ['ffmpeg', 'ffprobe'].every((name) => pathOf('', [name]) !== undefined);
}

function pathOf(variable: string, names: readonly string[]): string | undefined {
  const given = process.env[variable];
  if (given !== undefined && given !== '') return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
