/** Files, folders, images, videos and where their content lies (docs/interface/builtin-types.md 3, docs/interface/files.md 1). */
import type { RelationDefinition, TraitDefinition } from '../model/definitions.js';
import {
  computed,
  falseByDefault,
  ids,
  key,
  keys,
  marker,
  publicAndUi,
  relation,
  SOURCE_TO_TARGET,
  str,
  trait,
  words,
} from './rows.js';

/** Content as base64 or data URI: written, never shown (docs/interface/files.md 3.7). */
const content = (name: string, computation: string) =>
  key('Computed', name, '', { format: computation, serializationDisabled: true });

/** Kept by the service; no client reads or writes it. */
const internal = (name: string, marks = '') => str(name, marks, { system: true, serializationDisabled: true });

const FILE_VIEW = words('url isFile isTemplate indexed size dontCache contentType checksum');

const IMAGE_VIEW = words(
  'exifIFD0Data exifSubIFDData gpsData height width isImage isThumbnail orientation tnSmall tnMid',
);

const FOLDER_VIEW = words(`
  excludeSubtreeFromExport files folders images enabledChecksums isFolder mountDoFulltextIndexing mountLastScanned
  mountScanInterval mountTarget mountTargetFileType mountTargetFolderType mountWatchContents`);

const VIDEO_VIEW = words(`
  convertedVideos posterImage isVideo videoCodecName videoCodec pixelFormat audioCodecName audioCodec audioChannels
  sampleRate duration width height`);

export const fileTraits: readonly TraitDefinition[] = [
  trait(
    'Linkable',
    [],
    [ids('linkingElementsIds', 'linkingElements'), ...falseByDefault('enableBasicAuth*'), str('basicAuthRealm')],
    { ui: words('linkingElements linkingElementsIds enableBasicAuth basicAuthRealm') },
    { traitOnly: true },
  ),
  trait('LinkSource', [], [ids('linkableId', 'linkable')], { ui: words('linkable linkableId') }, { traitOnly: true }),
  trait(
    'AbstractFile',
    [],
    [
      str('name', '*!', { format: '[^\\/\\x00]+' }),
      ids('parentId', 'parent'),
      ...keys('Boolean', 'hasParent* includeInFrontendExport* isExternal*'),
      computed('path', 'filePath', { indexed: true }),
      computed('isMounted', 'isMounted'),
      key('Long', 'lastSeenMounted'),
      // Id of the folder, a slash, the name: what finds a file by its path without looking through a folder.
      internal('place', '*'),
      // What `place` was when the mounted directory it lies in had the same: where the disk has it.
      internal('mountPlace'),
    ],
    {
      public: words(`
        isMounted isExternal lastSeenMounted path parentId includeInFrontendExport visibleToPublicUsers
        visibleToAuthenticatedUsers`),
      ui: words(`
        isMounted isExternal lastSeenMounted path parentId includeInFrontendExport parent hasParent
        storageConfiguration`),
    },
    { traitOnly: true },
  ),
  trait(
    'File',
    ['AbstractFile', 'Linkable'],
    [
      ...keys('String', 'contentType md5 sha1 sha512 url'),
      ...falseByDefault('dontCache'),
      key('Boolean', 'indexed'),
      str('extractedContent', '', { fulltext: true, serializationDisabled: true }),
      // Of the text, as BCP 47 names it (docs/interface/media.md 4).
      str('extractedLanguage'),
      marker('isFile'),
      key('Boolean', 'isTemplate', 'r'),
      ...keys('Integer', 'cacheForSeconds position*'),
      ...keys('Long', 'checksum* crc32* fileModificationDate'),
      // A file without content is empty.
      key('Integer', 'version', '*', { defaultValue: '0' }),
      key('Long', 'size', '*', { defaultValue: '0' }),
      content('base64Data', 'fileContent'),
      // Which of the contents stored for this file is its content, and in which storage.
      internal('contentKey'),
      // What the service does with the content in the background (docs/interface/media.md 1).
      key('String', 'processingState', 'r*'),
      key('String', 'processingMessage', 'r'),
      key('Integer', 'processingProgress', 'r'),
      // The `version` of the content that these are about.
      key('Integer', 'processedVersion', '', { system: true, serializationDisabled: true }),
      // The content comes from somebody who is no administrator: browsers must not run what is in it.
      key('Boolean', 'sandboxed', '', { system: true, serializationDisabled: true }),
    ],
    { public: [...FILE_VIEW, 'owner'], ui: [...FILE_VIEW, ...words('cacheForSeconds version md5')] },
  ),
  trait(
    'Image',
    ['File'],
    [
      key('Thumbnail', 'tnMid', '', { format: '300, 300' }),
      key('Thumbnail', 'tnSmall', '', { format: '100, 100' }),
      ...keys('Boolean', 'isCreatingThumb* isThumbnail* thumbnailCreationFailed'),
      marker('isImage'),
      ...keys('Integer', 'width* height* orientation*'),
      ...keys('String', 'exifIFD0Data exifSubIFDData gpsData'),
      content('imageData', 'imageContent'),
    ],
    publicAndUi(IMAGE_VIEW),
  ),
  trait(
    'Folder',
    ['AbstractFile'],
    [
      marker('isFolder'),
      ...keys('Integer', 'position* mountScanInterval'),
      ...keys('String', 'enabledChecksums mountTarget* mountTargetFileType mountTargetFolderType'),
      ...keys('Boolean', 'mountDoFulltextIndexing mountWatchContents excludeSubtreeFromExport'),
      key('Long', 'mountLastScanned'),
      key('Count', 'filesCount', 'r', { format: 'files' }),
      key('Count', 'foldersCount', 'r', { format: 'folders' }),
    ],
    { public: [...FOLDER_VIEW, ...words('filesCount foldersCount owner')], ui: FOLDER_VIEW },
  ),
  trait(
    'VideoFile',
    ['File'],
    [
      marker('isVideo'),
      ...keys('String', 'videoCodecName videoCodec pixelFormat audioCodecName audioCodec'),
      ...keys('Integer', 'audioChannels width height'),
      ...keys('Double', 'sampleRate duration'),
      // Which preset this video is made with, of `originalVideo` (docs/interface/media.md 3.2).
      key('String', 'conversionPreset', 'r'),
      // The `version` of its content that the conversion is to replace, and who asked for it.
      key('Integer', 'conversionVersion', '', { system: true, serializationDisabled: true }),
      internal('conversionUser'),
    ],
    { public: VIDEO_VIEW, ui: [...VIDEO_VIEW, 'originalVideo'] },
  ),
  trait('StorageConfiguration', [], [str('name', '*!u'), str('provider', '*!')], {
    ui: words('name provider entries'),
  }),
  trait('StorageConfigurationEntry', [], [key('Encrypted', 'value')], { ui: words('name value configuration') }),
];

const inFolder = (type: string, targetKey: string, sourceKey: string): RelationDefinition =>
  relation(`FolderCONTAINS${type}`, 'Folder', 'CONTAINS', type, '1:*', { targetKey, sourceKey });

export const fileRelations: readonly RelationDefinition[] = [
  inFolder('AbstractFile', 'children', 'parent'),
  inFolder('File', 'files', 'fileParent'),
  inFolder('Folder', 'folders', 'folderParent'),
  inFolder('Image', 'images', 'imageParent'),
  relation('UserHOME_DIRFolder', 'User', 'HOME_DIR', 'Folder', '1:1', {
    targetKey: 'homeDirectory',
    sourceKey: 'homeFolderOfUser',
  }),
  relation('UserWORKING_DIRFolder', 'User', 'WORKING_DIR', 'Folder', '*:1', {
    targetKey: 'workingDirectory',
    sourceKey: 'workFolderOfUsers',
  }),
  relation('ImagePICTURE_OFUser', 'Image', 'PICTURE_OF', 'User', '1:1', {
    targetKey: 'imageOfUser',
    sourceKey: 'img',
  }),
  relation('ImageTHUMBNAILImage', 'Image', 'THUMBNAIL', 'Image', '1:*', {
    targetKey: 'thumbnails',
    sourceKey: 'originalImage',
    cascadingDelete: SOURCE_TO_TARGET,
    // What may be done with a thumbnail is what may be done with its original; flags and owner are kept alike (`rules/files/thumbnails.ts`).
    permissionPropagation: 'Out',
    readPropagation: 'Keep',
    writePropagation: 'Keep',
    deletePropagation: 'Keep',
    accessControlPropagation: 'Keep',
    properties: [
      key('Long', 'checksum'),
      ...keys('Integer', 'maxWidth maxHeight width height'),
      key('Boolean', 'cropToFit'),
    ],
  }),
  relation(
    'AbstractFileCONFIGURED_BYStorageConfiguration',
    'AbstractFile',
    'CONFIGURED_BY',
    'StorageConfiguration',
    '*:1',
    {
      targetKey: 'storageConfiguration',
      sourceKey: 'folders',
      autocreation: SOURCE_TO_TARGET,
      // Who reads a file may know its storage; who may read a storage must not read all that lies in it.
      permissionPropagation: 'Out',
      readPropagation: 'Add',
    },
  ),
  relation(
    'StorageConfigurationCONFIG_ENTRYStorageConfigurationEntry',
    'StorageConfiguration',
    'CONFIG_ENTRY',
    'StorageConfigurationEntry',
    '1:*',
    {
      targetKey: 'entries',
      sourceKey: 'configuration',
      // No propagation: who reads a folder may know its storage, not the keys to it.
      cascadingDelete: SOURCE_TO_TARGET,
      autocreation: SOURCE_TO_TARGET,
    },
  ),
  relation('LinkSourceLINKLinkable', 'LinkSource', 'LINK', 'Linkable', '*:1', {
    targetKey: 'linkable',
    sourceKey: 'linkingElements',
  }),
  relation('VideoFileHAS_CONVERTED_VIDEOVideoFile', 'VideoFile', 'HAS_CONVERTED_VIDEO', 'VideoFile', '1:*', {
    targetKey: 'convertedVideos',
    sourceKey: 'originalVideo',
    cascadingDelete: SOURCE_TO_TARGET,
  }),
  relation('VideoFileHAS_POSTER_IMAGEImage', 'VideoFile', 'HAS_POSTER_IMAGE', 'Image', '1:1', {
    targetKey: 'posterImage',
    sourceKey: 'posterImageOfVideo',
    cascadingDelete: SOURCE_TO_TARGET,
    permissionPropagation: 'Both',
    readPropagation: 'Keep',
    writePropagation: 'Keep',
    deletePropagation: 'Keep',
    accessControlPropagation: 'Keep',
  }),
];
