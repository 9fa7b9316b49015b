/** Errors that pass between the loop and the scripts of one session: each side knows those of the other by number. */
import { ScriptError, ScriptFailure } from '../../language/errors.js';
import { placed, placeOf, placeText, type Place } from '../../language/place.js';
import { failure, placeAt, placeInStack, readException, type Sources } from './failures.js';
import type { EvaluatedSource } from './source/evaluated.js';
import type { Wire } from './wire.js';

/** Errors of the loop that scripts of one run may hold. */
const MOST_ERRORS = 10_000;

export class PassedErrors {
  /** Of the loop, by the number that scripts know them by. */
  private readonly errors: Error[] = [];
  /** Exceptions that scripts hold, by the number that they know them by. */
  private readonly numbered = new Map<number, Error>();
  private readonly thrown = new WeakMap<Error, number>();
  /** Of these, what scripts have thrown that are no errors there. */
  private readonly others = new WeakSet<Error>();

  /** Syntax errors of these sources, or of texts that they evaluate (`place`), until that is known. */
  readonly unread = new WeakMap<Error, { readonly source: EvaluatedSource; readonly place: Place | undefined }>();

  constructor(private readonly sources: Sources) {}

  /** The error that an exception is; `source`: what ran, absent in functions; `around`: what these were called in. */
  read(wire: Wire | undefined, source: EvaluatedSource | undefined, around: () => EvaluatedSource | undefined): Error {
    const exception = readException(wire);
    const { number, hostError } = exception;
    const known = number === undefined ? undefined : this.numbered.get(number);
    if (known !== undefined) return known;
    const ofLoop = hostError === undefined ? undefined : this.errors[hostError];
    const error = ofLoop ?? failure(exception);
    const place = placeAt(exception.frame, this.sources, source ?? around());
    if (exception.isSyntax && ofLoop === undefined && source !== undefined) this.unread.set(error, { source, place });
    else if (place !== undefined) placed(error, place);
    if (number !== undefined && this.numbered.size < MOST_ERRORS) {
      this.numbered.set(number, error);
      this.thrown.set(error, number);
      if (!exception.isError || this.unread.has(error)) this.others.add(error);
    }
    return error;
  }

  /** A promise that nobody looks after was rejected, which ended the script from outside. */
  lost(thrown: unknown, source: EvaluatedSource | undefined): Error {
    const error = failure({ text: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown) });
    const known = thrown instanceof Error ? placeInStack(thrown.stack ?? '', this.sources) : undefined;
    const place = known ?? placeAt(undefined, this.sources, source);
    return place === undefined ? error : placed(error, place);
  }

  /** Message, status, number of the exception of a script that it is, number of the error of the loop, place. `asError`: it has to be an `Error` there. */
  encode(error: Error, asError = false): readonly Wire[] {
    const number = this.thrown.get(error);
    if (number !== undefined && !(asError && this.others.has(error))) return ['', 0, number];
    const message = error instanceof ScriptFailure ? error.detail : error.message;
    const index = this.errors.length < MOST_ERRORS ? this.errors.push(error) - 1 : -1;
    const place = placeOf(error);
    return [
      message,
      error instanceof ScriptError ? error.status : 500,
      null,
      index,
      place === undefined ? null : placeText(place),
    ];
  }
}
