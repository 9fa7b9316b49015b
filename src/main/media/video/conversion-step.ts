/** Converts videos in the background, with the rights of who asked for it (docs/interface/media.md 3.2). */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { GraphNode } from '../../graph/index.js';
import type { Received } from '../../files/index.js';
import { askerNow, type Asker } from '../../request/index.js';
import { allowed, ANONYMOUS, folderOf, SUPERUSER_ID, SYSTEM, type ObjectTransaction } from '../../schema/index.js';
import { syncPath } from '../../../shared/sync-path.js';
import { longWork } from '../../../shared/work/index.js';
import type { MediaContext } from '../context.js';
import { MediaError } from '../errors.js';
import type { Step, StepRun } from '../processing/step.js';
import { ffmpegArguments } from './command.js';
import { isWanted } from './conversion.js';
import type { Preset } from './presets/preset.js';
import { presetNamed } from './presets/table.js';
import type { VideoFacts } from './probe.js';
import { look, lookToConvert, withPath } from './source.js';

const PLAYLIST = /\.m3u8$/;

export const conversionStep: Step = {
  name: 'conversion',
  wants: (file, hasTrait) => hasTrait('VideoFile') && isWanted(file),
  async run(run, context) {
    await context.tools.needs('ffmpeg');
    const { file, signal } = run;
    const preset = presetNamed(String(file.properties['conversionPreset']));
    const original = await originalOf(context, file);
    const asker = await askerOf(context, file, original);
    const work = { what: 'converting a video', time: context.tools.time, priority: 'background', signal } as const;
    await longWork().hold(work, (until) =>
      context.files.onDisk.temporary(async (folder) => {
        await mkdir(folder, { mode: 0o700 });
        await withPath(context, original, until, (path) =>
          convert({ ...run, signal: until }, context, preset, path, folder),
        );
        const conversion = { file, original, preset, folder, asker };
        if (preset.isPlaylist === true) await publishAll(context, conversion, until);
        else await publish(context, conversion, until);
      }),
    );
    // What it has become is committed with its content.
    return {};
  },
};

/** A conversion whose files are there. */
interface Converted {
  readonly file: GraphNode;
  readonly original: GraphNode;
  readonly preset: Preset;
  readonly folder: string;
  readonly asker: Asker;
}

async function originalOf({ graph }: MediaContext, file: GraphNode): Promise<GraphNode> {
  const step = { relType: 'HAS_CONVERTED_VIDEO', direction: 'in' } as const;
  const [[original] = []] = await graph.read((tx) => tx.related([file.id], step, 1));
  if (original === undefined) throw new MediaError(422, 'The video that it is to be made of is gone.');
  return original;
}

/** Who asked for it, with his rights as they are now. Throws `MediaError` 403. */
async function askerOf({ graph, security }: MediaContext, file: GraphNode, original: GraphNode): Promise<Asker> {
  const id = String(file.properties['conversionUser']);
  const asker = await askerNow(security, id === SUPERUSER_ID ? SYSTEM : { ...ANONYMOUS, id });
  if (asker === undefined) throw new MediaError(403, 'The user who asked for the conversion is gone or blocked.');
  const may = await graph.read(
    async (tx) =>
      (await allowed(tx, asker.access, 'read', original)) && (await allowed(tx, asker.access, 'write', original)),
  );
  if (!may) throw new MediaError(403, 'The user who asked for the conversion may not write the original any more.');
  return asker;
}

async function convert(
  run: StepRun,
  context: MediaContext,
  preset: Preset,
  path: string,
  folder: string,
): Promise<void> {
  const { config, tools } = context;
  const { signal } = run;
  const { input, facts } = await lookToConvert(context, path, signal);
  const args = await ffmpegArguments({
    input,
    // Of some nobody knows how long they are before the end.
    longest: config.get('application.video.maxlength'),
    threads: tools.threads,
    output: preset.output,
    make: (command) => {
      preset.make(command, facts);
      command.outputOptions('-progress', 'pipe:1');
    },
  });
  for await (const piece of tools.output(args, signal, folder)) {
    const seconds = secondsIn(piece.toString('latin1'));
    if (seconds !== undefined && facts.duration !== undefined) run.progress((seconds / facts.duration) * 100);
  }
}

/** How far ffmpeg says it is; undefined: it does not say. */
function secondsIn(told: string): number | undefined {
  const last = told.lastIndexOf('out_time_us=');
  const time = last < 0 ? NaN : Number.parseInt(told.slice(last + 'out_time_us='.length), 10);
  return Number.isFinite(time) ? time / 1_000_000 : undefined;
}

/** Makes the one file of a conversion the content of its video. */
async function publish(context: MediaContext, converted: Converted, signal: AbortSignal): Promise<void> {
  const { beside } = context.files;
  const { file, folder, preset } = converted;
  const path = join(folder, preset.result);
  const { facts } = await look(context, path, signal);
  await syncPath(path);
  const received = await beside.storeFor(file, { path });
  await commit(context, converted, [received], signal, (objects, now) =>
    become(context, objects, now, received, facts),
  );
}

/** The same for a playlist, with all that it leads to. */
async function publishAll(context: MediaContext, converted: Converted, signal: AbortSignal): Promise<void> {
  const { files, graph, schemas } = context;
  const { beside } = files;
  const { file, folder, preset, asker } = converted;
  const parent = await graph.read((tx) => folderOf({ tx, schema: schemas.schema }, file.id));
  const names = (await readdir(folder)).filter((name) => name !== preset.result);
  const largest = names.filter((name) => !PLAYLIST.test(name)).sort((a, b) => linesIn(b) - linesIn(a))[0];
  if (largest === undefined) throw new MediaError(422, 'The conversion has made nothing.');
  const { facts } = await look(context, join(folder, largest), signal);
  const stored: Received[] = [];
  try {
    for (const name of [preset.result, ...names]) {
      signal.throwIfAborted();
      const path = join(folder, name);
      await syncPath(path);
      stored.push(
        name === preset.result
          ? await beside.storeFor(file, { path })
          : await beside.store(asker.actor, parent?.id, name, { path }),
      );
    }
  } catch (error) {
    await beside.abandon(stored);
    throw error;
  }
  const [playlist, ...parts] = stored;
  await commit(context, converted, stored, signal, async (objects, now) => {
    const [before = []] = await objects.tx.related([now.id], { relType: 'HAS_CONVERTED_VIDEO', direction: 'out' });
    for (const part of before) await objects.delete(part);
    for (const [i, name] of names.entries()) {
      const received = parts[i];
      if (received === undefined) continue;
      const part = await beside.make(objects, now, {
        name,
        type: 'VideoFile',
        contentType: PLAYLIST.test(name) ? preset.contentType : 'video/mp4',
        input: { originalVideo: now.id },
        received,
        ...(parent === undefined ? {} : { folder: parent }),
      });
      // Playlists name them.
      if (part.properties['name'] !== name) {
        throw new MediaError(422, `There is another file ${name} in the folder of the playlist.`);
      }
    }
    if (playlist !== undefined) await become(context, objects, now, playlist, facts);
  });
}

/** Lines of the picture, by the name of a file of a ladder. */
function linesIn(name: string): number {
  return Number.parseInt(name, 10) || 0;
}

/** Makes content that was stored that of the video, with what is known of it: nothing is to be done any more. */
function become(
  { files }: MediaContext,
  objects: ObjectTransaction,
  video: GraphNode,
  received: Received,
  facts: VideoFacts,
): Promise<void> {
  const { version } = video.properties;
  return files.beside.publish(objects, video, received, {
    ...facts.properties,
    conversionVersion: null,
    processedVersion: (typeof version === 'number' ? version : 0) + 1,
    processingState: null,
    processingMessage: null,
    processingProgress: null,
  });
}

/** In one transaction with the rights of who asked; nothing is written when the conversion is not wanted any more. */
async function commit(
  { files, schemas, write }: MediaContext,
  { file, asker }: Converted,
  stored: readonly Received[],
  signal: AbortSignal,
  work: (objects: ObjectTransaction, now: GraphNode) => Promise<void>,
): Promise<void> {
  const options = { ...write(), door: 'job', reason: 'conversion of a video' } as const;
  let isPublished = false;
  try {
    signal.throwIfAborted();
    isPublished = await schemas.write(asker.actor, asker.access, options, async (objects) => {
      const now = await objects.tx.node(file.id);
      if (now === undefined || !isWanted(now) || now.properties['version'] !== file.properties['version']) return false;
      if (!(await objects.may('write', now))) throw objects.notPermitted(now);
      await work(objects, now);
      return true;
    });
  } finally {
    if (!isPublished) await files.beside.abandon(stored);
  }
}
