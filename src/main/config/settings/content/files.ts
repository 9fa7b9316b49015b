import { boolean, choice, group, integer, multiChoice, string } from '../../setting.js';

export const fileSettings = {
  ...group('application/Filesystem', {
    'application.filesystem.enabled': boolean(false, 'Give every user a home directory'),
    'application.filesystem.unique.paths': boolean(true, 'No two files of one name in a folder: the later is renamed'),
    'application.filesystem.unique.insertionposition': choice(
      'beforeextension',
      ['beforeextension', 'start', 'end'],
      'Where the time goes in the name of a file that is renamed',
    ),
    'application.filesystem.names.maxbytes': integer(
      255,
      'Longest name of a file or folder (bytes of UTF-8); most file systems take 255',
      { min: 64, max: 4096 },
    ),
    'application.filesystem.checksums.default': multiChoice(
      [],
      'Checksums computed at upload besides xxHash: crc32, md5, sha1, sha512',
      { among: ['crc32', 'md5', 'sha1', 'sha512'] },
    ),
    'application.filesystem.indexing.enabled': boolean(true, 'Extract and index the text of files', { notRead: true }),
    'application.filesystem.indexing.maxsize': integer(10, 'Largest file whose text is indexed (MB)', {
      min: 0,
      notRead: true,
    }),
    'application.filesystem.import.roots': string(
      '',
      'Folders of the server, besides data.exchange.path, that file-import may read; separated by semicolons or commas',
    ),
    'application.filesystem.zip.level': integer(6, 'How hard ZIP archives are compressed: 1 (fast) to 9 (small)', {
      min: 1,
      max: 9,
    }),
    'application.filesystem.zip.maxconcurrent': integer(8, 'ZIP archives made at the same time', { min: 1 }),
    'application.filesystem.archive.maxsize': integer(10_240, 'Largest archive that is made in the tree (MB)', {
      min: 1,
    }),
    'application.filesystem.unarchive.maxsize': integer(10_240, 'Most that is extracted from one archive (MB)', {
      min: 1,
    }),
    'application.filesystem.unarchive.maxentries': integer(100_000, 'Most files and folders in an extracted archive', {
      min: 1,
    }),
    'application.filesystem.unarchive.maxratio': integer(
      200,
      'Most that an archive may grow when it is extracted (times)',
      {
        min: 1,
      },
    ),
    'application.filesystem.unarchive.maxdepth': integer(64, 'Most folders in one another in an extracted archive', {
      min: 1,
    }),
    'application.uploads.folder': string('/._svc_uploads', 'Folder of uploads that name none'),
    'application.filesystem.cache.size': integer(
      64,
      'Memory for the content of small files that are served often (MB)',
      {
        min: 0,
        restart: true,
      },
    ),
    'application.filesystem.precompressed': boolean(
      false,
      'Serve name.br or name.gz, written by an administrator, in place of a text file beside it',
    ),
  }),
  ...group('application/Storage', {
    'application.filesystem.storage.timeout': integer(
      30_000,
      'Longest time a storage on another machine may be silent (ms)',
      { min: 100 },
    ),
    'application.filesystem.mount.roots': string(
      '',
      'Directories below which directories may be mounted into the tree, separated by semicolons or commas; none: nothing may be',
    ),
    'application.filesystem.mount.followsymlinks': boolean(
      true,
      'Follow symbolic links in mounted directories, as long as they lead to something in the same directory',
    ),
    'log.directorywatchservice.scanquietly': boolean(false, 'Do not log the progress of looking through directories'),
    'application.filesystem.sweep.delay': integer(
      300,
      'Time after the start until content that belongs to no file is looked for (s); 0: never',
      { min: 0, max: 86_400 },
    ),
    'application.filesystem.sweep.interval': integer(24, 'Time until it is looked for again (h)', {
      min: 1,
      max: 500,
    }),
    'application.filesystem.sweep.age': integer(60, 'Content that belongs to no file is kept this long (min)', {
      min: 0,
      max: 525_600,
    }),
    'application.filesystem.sweep.trash': integer(
      7,
      'Content that was swept away is kept this long, in .trash of files.path or where it lies (days); 0: not at all',
      { min: 0, max: 3650 },
    ),
  }),
  ...group('servlets/UploadServlet', {
    'uploadservlet.maxfilesize': integer(1000, 'Largest file of an upload (MB)', { min: 1 }),
    'uploadservlet.maxrequestsize': integer(1200, 'Largest upload request (MB)', { min: 1 }),
    'uploadservlet.resumable.maxopen': integer(100, 'Resumable uploads of one user that are not complete', { min: 1 }),
    'uploadservlet.resumable.expiry': integer(24, 'How long an upload is kept that nobody goes on with (hours)', {
      min: 1,
    }),
    'uploadservlet.allowanonymousuploads': boolean(false, 'Everybody may upload files, without a login'),
  }),
} as const;
