import type { FfmpegCommand } from 'fluent-ffmpeg';
import type { VideoFacts } from '../probe.js';
import { scaled, streamsOf, type Preset } from './preset.js';

/** H.264 and AAC, with what players need to begin, or to go to another time, at the beginning of the file. */
export function mp4(name: string, height?: number): Preset {
  const common = (command: FfmpegCommand, facts: VideoFacts): FfmpegCommand => {
    command.outputOptions(...streamsOf(facts), '-vf', scaled(height));
    if (facts.audioStream !== undefined) command.audioCodec('aac').audioBitrate('128k').audioChannels(2);
    return command.videoCodec('libx264').outputOptions('-pix_fmt', 'yuv420p', '-crf', '23').format('mp4');
  };
  return {
    name,
    contentType: 'video/mp4',
    ending: height === undefined ? '.mp4' : `-${String(height)}p.mp4`,
    output: 'video.mp4',
    result: 'video.mp4',
    make: (command, facts) => {
      common(command, facts).outputOptions('-preset', 'medium', '-movflags', '+faststart');
    },
    send: (command, facts) => {
      const fragments = 'frag_keyframe+empty_moov+default_base_moof';
      common(command, facts).outputOptions('-preset', 'veryfast', '-g', '50', '-movflags', fragments);
    },
  };
}
