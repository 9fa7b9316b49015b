/** The table of cases, in the order that is kindest to the databases: those that only read come first. */
import type { Context } from '../context.js';
import { readBesidePocketBase } from '../growth/beside.js';
import { deleteThings } from '../growth/deleting.js';
import { readAmongThings } from '../growth/pages.js';
import { storeThings } from '../growth/storage.js';
import { findParts } from '../growth/text.js';
import type { Result } from '../result.js';
import { besideComputing } from '../threads/computing.js';
import { memoryOfThreads } from '../threads/memory.js';
import { serveByThreads } from '../threads/rates.js';
import { listGranted, readGranted } from './access.js';
import { drawSchema, firstScreens, lighthouse, openAreas, scrollTable } from './admin-ui.js';
import { askAboutEvents, logEvents } from './analytics.js';
import { keepChangelog } from './changelog.js';
import { exportObjects, importApplication, importObjects } from './deployment.js';
import { download, serveSmall, tailBesideUploads, uploadBig, uploadMany } from './files.js';
import { atRest, readAmongMany } from './growth.js';
import { handOver } from './handed-over.js';
import { cachedThumbnail, firstThumbnails, tailBesideImages, uploadImages } from './images.js';
import { tellSubscribers } from './live.js';
import { callMethods } from './methods.js';
import { firstByte, reloadPart, renderForUser, renderRows, renderScripts, servePage } from './pages.js';
import { besidePocketBase } from './pocketbase.js';
import { listAsReaders } from './readers.js';
import { readAsOthers, readOne, readPage } from './reading.js';
import { manyConnections, soak, startFromNothing } from './running.js';
import { fillTemplates } from './templates.js';
import { tail } from './tail.js';
import { besideLargePost, besideWaitingScripts } from './turns.js';
import { coldIsolate, tailBesideWaiting } from './waiting.js';
import { convertVideo } from './videos.js';
import { readTexts } from './texts.js';
import { changeOne, deleteOne, writeMany, writeOne } from './writing.js';
import { tailBesideAll, zipFolder } from './zip.js';

export const cases: readonly { readonly number: number; readonly run: (context: Context) => Promise<Result[]> }[] = [
  { number: 1, run: readOne },
  { number: 2, run: readPage },
  { number: 7, run: tail },
  { number: 20, run: tailBesideWaiting },
  { number: 23, run: changeOne },
  { number: 24, run: deleteOne },
  { number: 3, run: writeOne },
  { number: 4, run: writeMany },
  // Behind 3 and 4, whose baselines write the rows of the newest object: that is a file afterwards.
  { number: 40, run: exportObjects },
  { number: 41, run: importObjects },
  { number: 43, run: importApplication },
  { number: 55, run: keepChangelog },
  { number: 56, run: tellSubscribers },
  { number: 50, run: logEvents },
  { number: 51, run: askAboutEvents },
  { number: 14, run: tailBesideUploads },
  { number: 16, run: tailBesideAll },
  { number: 8, run: readGranted },
  { number: 9, run: listGranted },
  { number: 17, run: callMethods },
  { number: 5, run: readAmongMany },
  { number: 6, run: atRest },
  { number: 10, run: serveSmall },
  { number: 11, run: download },
  { number: 80, run: firstThumbnails },
  { number: 81, run: cachedThumbnail },
  { number: 82, run: uploadImages },
  { number: 83, run: tailBesideImages },
  { number: 12, run: uploadBig },
  { number: 13, run: uploadMany },
  { number: 15, run: zipFolder },
  { number: 63, run: convertVideo },
  { number: 18, run: fillTemplates },
  { number: 19, run: coldIsolate },
  { number: 21, run: besideLargePost },
  { number: 22, run: besideWaitingScripts },
  { number: 25, run: listAsReaders },
  { number: 26, run: besidePocketBase },
  { number: 33, run: readAsOthers },
  { number: 27, run: servePage },
  { number: 28, run: renderRows },
  { number: 29, run: renderScripts },
  { number: 30, run: renderForUser },
  { number: 31, run: firstByte },
  { number: 32, run: reloadPart },
  { number: 34, run: handOver },
  { number: 35, run: serveByThreads },
  { number: 36, run: besideComputing },
  { number: 37, run: memoryOfThreads },
  { number: 60, run: startFromNothing },
  { number: 61, run: manyConnections },
  { number: 62, run: soak },
  { number: 65, run: readTexts },
  { number: 70, run: readAmongThings },
  { number: 71, run: findParts },
  { number: 72, run: storeThings },
  { number: 73, run: readBesidePocketBase },
  { number: 90, run: firstScreens },
  { number: 91, run: lighthouse },
  { number: 92, run: openAreas },
  { number: 93, run: drawSchema },
  { number: 94, run: scrollTable },
  // Behind those that only read.
  { number: 74, run: deleteThings },
];
