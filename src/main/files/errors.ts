/** A refusal of the files room; the rooms that answer requests turn it into the status and the error body. */
export class FilesError extends Error {
  override readonly name = 'FilesError';
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The storage does not have what a file says is there. */
export class ContentMissing extends FilesError {
  constructor(file: string) {
    super(500, `The content of file ${file} is missing in its storage.`);
  }
}

/** What an error of the storage means for the one who asked. Errors that say nothing about storage stay as they are. */
export function storageError(error: unknown, what: string): Error {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new FilesError(507, `There is no space left to ${what}.`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new FilesError(500, `The storage does not allow the service to ${what}; its log names the path.`);
    case 'EMFILE':
    case 'ENFILE':
      return new FilesError(503, `Too many files are open to ${what}; try again later.`, { 'Retry-After': '1' });
    default:
      // Whatever else the system says is for the log alone: it names paths.
      if (error instanceof Error && 'syscall' in error) {
        return new FilesError(500, `The storage failed to ${what}; the log says why.`);
      }
      return error instanceof Error ? error : new Error(String(error));
  }
}
