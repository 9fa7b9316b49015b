import { group, integer, string } from '../../setting.js';

/** What is done with videos, and how much of it (docs/interface/media.md 3). */
export const videoSettings = group('application/Videos', {
  'application.video.ffmpeg': string('ffmpeg', 'Program that converts videos: a path, or a name that is looked for', {
    pattern: /^[^\0\n]{1,1000}$/,
    example: '/usr/bin/ffmpeg',
    hidden: true,
    restart: true,
  }),
  'application.video.ffprobe': string('ffprobe', 'Program that tells what videos are', {
    pattern: /^[^\0\n]{1,1000}$/,
    example: '/usr/bin/ffprobe',
    hidden: true,
    restart: true,
  }),
  'application.video.maxsize': integer(10_240, 'Largest video that is worked on (MB)', { min: 1 }),
  'application.video.maxlength': integer(14_400, 'Longest video that is converted (s)', { min: 1, max: 1_000_000 }),
  'application.video.maxpixels': integer(36, 'Largest picture of a video that is worked on (millions of pixels)', {
    min: 1,
    max: 2000,
  }),
  'application.video.threads': integer(0, 'Threads of a program that converts; 0: as many as there are processors', {
    min: 0,
    max: 256,
  }),
  'application.video.timeout': integer(7200, 'Longest time of one conversion, or of one video that is streamed (s)', {
    min: 1,
    max: 1_000_000,
  }),
  'application.video.memory': integer(4096, 'Memory of a program that works on a video (MB); 0: no limit', {
    min: 0,
    max: 1_000_000,
  }),
  'application.video.streams': integer(2, 'Videos that are converted while they are sent, at a time; 0: none', {
    min: 0,
    max: 1000,
  }),
});
