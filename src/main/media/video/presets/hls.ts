import { scaled, type Preset } from './preset.js';

/** Lines of a picture, and bits a second of video and sound. */
const RUNGS = [
  { height: 1080, video: 5000, audio: 160 },
  { height: 720, video: 2800, audio: 128 },
  { height: 480, video: 1400, audio: 128 },
  { height: 360, video: 800, audio: 96 },
] as const;
/** Of a video that has fewer lines than all of them. */
const LOWEST = RUNGS[3];
/** Seconds of a segment; each begins with a picture that needs no other. */
const SEGMENT = 6;

/**
 * HTTP Live Streaming: a playlist that leads to one of each rung, which have H.264 and AAC in one file each, whose parts are asked for by their bytes.
 * No rung is larger than the video.
 */
export const hls: Preset = {
  name: 'hls',
  contentType: 'application/vnd.apple.mpegurl',
  ending: '.m3u8',
  isPlaylist: true,
  output: '%v.m3u8',
  result: 'master.m3u8',
  make: (command, { height, videoStream, audioStream }) => {
    const fitting = RUNGS.filter((rung) => rung.height <= height);
    const rungs = fitting.length === 0 ? [LOWEST] : fitting;
    const split = rungs.map((_, i) => `[s${String(i)}]`).join('');
    const scales = rungs.map((rung, i) => `[s${String(i)}]${scaled(rung.height)}[v${String(i)}]`);
    const filter = `[0:${String(videoStream)}]split=${String(rungs.length)}${split};${scales.join(';')}`;
    command.outputOptions('-filter_complex', filter);
    for (const [i, { video, audio }] of rungs.entries()) {
      const n = String(i);
      command.outputOptions(
        '-map',
        `[v${n}]`,
        `-b:v:${n}`,
        `${String(video)}k`,
        `-maxrate:v:${n}`,
        `${String(video)}k`,
      );
      command.outputOptions(`-bufsize:v:${n}`, `${String(2 * video)}k`);
      if (audioStream !== undefined) {
        command.outputOptions('-map', `0:${String(audioStream)}`, `-b:a:${n}`, `${String(audio)}k`);
      }
    }
    if (audioStream !== undefined) command.audioCodec('aac').audioChannels(2);
    const named = rungs.map((rung, i) => {
      const sound = audioStream === undefined ? '' : `,a:${String(i)}`;
      return `v:${String(i)}${sound},name:${String(rung.height)}p`;
    });
    command
      .videoCodec('libx264')
      .outputOptions('-pix_fmt', 'yuv420p', '-preset', 'fast', '-sc_threshold', '0')
      .outputOptions('-force_key_frames', `expr:gte(t,n_forced*${String(SEGMENT)})`)
      .outputOptions('-hls_time', String(SEGMENT), '-hls_playlist_type', 'vod', '-hls_segment_type', 'fmp4')
      .outputOptions('-hls_flags', 'single_file', '-hls_segment_filename', '%v.mp4')
      .outputOptions('-master_pl_name', 'master.m3u8', '-var_stream_map', named.join(' '))
      .format('hls');
  },
};
