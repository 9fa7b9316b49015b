import { MissingPackageError, optional } from '../../../shared/optional-package.js';
import { ScriptError } from '../language/errors.js';

/** Loads an optional package for a function of scripts. Throws `ScriptError` 501 that names it when it is not installed. */
export async function optionalFor<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await optional(load);
  } catch (error) {
    if (!(error instanceof MissingPackageError)) throw error;
    throw new ScriptError(501, `${what}: ${error.message}`, [], { cause: error });
  }
}
