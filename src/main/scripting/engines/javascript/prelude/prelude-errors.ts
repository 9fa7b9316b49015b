/**
 * Stacks of errors as scripts see them (part of the prelude): frames of scripts alone, named as the log names them, with lines and columns of
 * the source as it is stored. Where the first of them is, the loop is told by number.
 */
export const ERRORS = String.raw`
/** Number, title, characters in front of its first line, line and column where it begins, shifts, by number. */
let sources = bareList();
/** Number, line and column of the innermost frame of a script, by error. */
const frames = new WeakMapOf();
/** What a script has made of Error.prepareStackTrace. */
let custom;

ErrorOf.prepareStackTrace = (_, sites) => sites;
const site = new ErrorOf().stack[0], callSite = Reflect.getPrototypeOf(site);
delete ErrorOf.prepareStackTrace;
const urlOf = bound(callSite.getScriptNameOrSourceURL), lineOf = bound(callSite.getLineNumber);
const columnOf = bound(callSite.getColumnNumber), functionNameOf = bound(callSite.getFunctionName);
const SCRIPT = 'svc-script-';

function numberOfSite(one) {
  const url = urlOf(one);
  return typeof url === 'string' && slice(url, 0, SCRIPT.length) === SCRIPT ? NumberOf(slice(url, SCRIPT.length)) : -1;
}
function placeText(number, line, column) {
  const source = sources[number];
  if (source === undefined) return 'a script:' + line + ':' + column;
  if (line === 1) column -= source[2];
  // As unshifted of edits.ts does it.
  const shifts = source[5];
  let back = 0;
  for (let i = 0; i < shifts.length; i += 4) {
    if (shifts[i] !== line || shifts[i + 1] >= column) continue;
    if (column < shifts[i + 1] + shifts[i + 2]) {
      column = shifts[i + 1];
      break;
    }
    back += shifts[i + 2] - shifts[i + 3];
  }
  column -= back;
  if (line === 1) column += source[4] - 1;
  return source[1] + ':' + (line + source[3] - 1) + ':' + (column < 1 ? 1 : column);
}
function stackOf(error, sites) {
  const own = [];
  let text = '';
  for (let i = 0; i < sites.length; i++) {
    const number = numberOfSite(sites[i]);
    if (number < 0) continue;
    own[own.length] = sites[i];
    const line = lineOf(sites[i]), column = columnOf(sites[i]), name = functionNameOf(sites[i]);
    if (own.length === 1) weakSet(frames, error, [number, line, column]);
    const place = placeText(number, line, column);
    text += '\n    at ' + (typeof name === 'string' && name !== '' && name !== 'eval' ? name + ' (' + place + ')' : place);
  }
  if (typeof custom === 'function') return apply(custom, ErrorOf, [error, own]);
  let head = 'Error';
  try {
    head = errorText(error);
  } catch {
    // It cannot be shown.
  }
  return head + text;
}
define(ErrorOf, 'prepareStackTrace', { get: () => stackOf, set: (value) => { custom = value; }, configurable: false, enumerable: false });

/** What was thrown last that is no error, and where. */
let other, otherFrame = null;
/** Stands around what scripts throw where that may be no error. */
function marked(value) {
  if (!(value instanceof ErrorOf)) {
    other = value;
    otherFrame = frameOf(new ErrorOf());
  }
  return value;
}
function frameOfOther(thrown) {
  const frame = isSame(thrown, other) ? otherFrame : null;
  other = undefined;
  otherFrame = null;
  return frame;
}

/** Null: there is none. */
function frameOf(error) {
  // Looking at it calls stackOf the first time.
  void error.stack;
  return weakGet(frames, error) ?? null;
}
/** An error of the loop that happened inside of another script: that comes first. */
function beginStack(error, place) {
  const own = error.stack, head = errorText(error);
  const rest = typeof own === 'string' && slice(own, 0, head.length) === head ? slice(own, head.length) : '';
  define(error, 'stack', { value: head + '\n    at ' + place + rest, configurable: true, writable: true });
}
`;
