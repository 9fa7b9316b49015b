/** Content of files for other rooms, piece by piece. */
import type { GraphNode } from '../../graph/index.js';
import type { Contents } from './content.js';
import { sizeOf } from './place.js';
import { refuseEvaluated } from '../serve/templates.js';

export interface FileContent {
  readonly name: string;
  /** As the file says; `application/octet-stream` when it says nothing. */
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** From the first byte on, each time it is called. What it answers throws `FilesError` when the storage fails. */
  readonly read: (signal?: AbortSignal) => AsyncIterable<Buffer>;
}

export function readableContent(contents: Contents, file: GraphNode): FileContent {
  const { name, contentType } = file.properties;
  refuseEvaluated(file);
  const size = sizeOf(file);
  return {
    name: typeof name === 'string' ? name : file.id,
    contentType: typeof contentType === 'string' && contentType !== '' ? contentType : 'application/octet-stream',
    size,
    read: (signal) => contents.read(file, { from: 0, to: size }, signal),
  };
}
