/** Into what videos are converted. A new preset is one row here. */
import { MediaError } from '../../errors.js';
import { hls } from './hls.js';
import { mp4 } from './mp4.js';
import type { Preset } from './preset.js';
import { webm } from './webm.js';

const PRESETS: readonly Preset[] = [mp4('mp4'), mp4('mp4-720p', 720), webm('webm'), webm('webm-720p', 720), hls];

/** Throws `MediaError` 422 for a name that there is not. */
export function presetNamed(name: string): Preset {
  const found = PRESETS.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = PRESETS.map((one) => one.name).join(', ');
  throw new MediaError(422, `There is no preset ${JSON.stringify(name.slice(0, 50))}; there are ${names}.`);
}
