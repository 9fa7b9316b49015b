/** What videos are, found out when their content has come (docs/interface/media.md 3.1). */
import type { GraphNode } from '../../graph/index.js';
import { sizeOf } from '../../files/index.js';
import { shortWork } from '../../../shared/work/index.js';
import type { Step } from '../processing/step.js';
import { look, withPath } from './source.js';

const LONGEST = 60_000;

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
    const work = { what: 'looking at a video', time: LONGEST, priority: 'background', signal } as const;
    // It takes a moment, and must not wait for a conversion; content of another storage has been fetched before.
    return withPath(context, file, signal, async (path) => {
      const { facts } = await shortWork().hold(work, (until) => look(context, path, until));
      return facts.properties;
    });
  },
};
