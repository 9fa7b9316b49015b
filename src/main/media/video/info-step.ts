/** What videos are, found out when their content has come (docs/interface/media.md 3.1). */
import type { GraphNode } from '../../graph/index.js';
import { sizeOf } from '../../files/index.js';
import type { Step } from '../processing/step.js';
import { factsOf } from './source.js';

/** Playlists lead to videos and are none. */
function isPlaylist({ properties }: GraphNode): boolean {
  return typeof properties['contentType'] === 'string' && /mpegurl/i.test(properties['contentType']);
}

export const videoInfoStep: Step = {
  name: 'video',
  wants: (file, hasTrait) => hasTrait('VideoFile') && sizeOf(file) > 0 && !isPlaylist(file),
  async run({ file, signal }, context) {
    // Without it nothing is known, and nothing has failed.
    if (!(await context.tools.has('ffprobe'))) return {};
    return (await factsOf(context, file, signal, 'background')).properties;
  },
};
