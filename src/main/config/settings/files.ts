import { boolean, group, integer, multiChoice, string } from '../setting.js';

export const fileSettings = {
  ...group('application/Filesystem', {
    'application.filesystem.enabled': boolean(false, 'Give every user a home directory', { notRead: true }),
    'application.filesystem.unique.paths': boolean(true, 'No two files of one name in a folder', { notRead: true }),
    'application.filesystem.checksums.default': multiChoice(
      [],
      'Checksums computed at upload: crc32, md5, sha1, sha512',
      { notRead: true },
    ),
    'application.filesystem.indexing.enabled': boolean(true, 'Extract and index the text of files', { notRead: true }),
    'application.filesystem.indexing.maxsize': integer(10, 'Largest file whose text is indexed (MB)', {
      min: 0,
      notRead: true,
    }),
    'application.uploads.folder': string('/._svc_uploads', 'Folder of uploads that name none', { notRead: true }),
  }),
  ...group('servlets/UploadServlet', {
    'uploadservlet.maxfilesize': integer(1000, 'Largest file of an upload (MB)', { min: 1, notRead: true }),
  }),
} as const;
