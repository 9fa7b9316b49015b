import type { FfmpegCommand } from 'fluent-ffmpeg';
import type { VideoFacts } from '../probe.js';
import { scaled, streamsOf, type Preset } from './preset.js';

/** VP9 and Opus. */
export function webm(name: string, height?: number): Preset {
  const common = (command: FfmpegCommand, facts: VideoFacts): FfmpegCommand => {
    command.outputOptions(...streamsOf(facts), '-vf', scaled(height));
    if (facts.audioStream !== undefined) command.audioCodec('libopus').audioBitrate('96k').audioChannels(2);
    command.videoCodec('libvpx-vp9').format('webm');
    return command.outputOptions('-pix_fmt', 'yuv420p', '-crf', '32', '-b:v', '0', '-row-mt', '1');
  };
  return {
    name,
    contentType: 'video/webm',
    ending: height === undefined ? '.webm' : `-${String(height)}p.webm`,
    output: 'video.webm',
    result: 'video.webm',
    make: (command, facts) => {
      common(command, facts).outputOptions('-deadline', 'good', '-cpu-used', '3');
    },
    send: (command, facts) => {
      common(command, facts).outputOptions('-deadline', 'realtime', '-cpu-used', '8', '-g', '50');
    },
  };
}
