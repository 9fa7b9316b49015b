/**
 * Calls to other servers as they were written before 7.0: user and password as arguments of their own, and for POST a map behind
 * them. Now options stand last (docs/interface/script-runtime.md 5.1; contract, Startup migration mode).
 */
import type { FoundArgument, FoundCall } from './calls.js';

/** So many characters of the source are replaced by a text. */
export interface Edit {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

export interface HttpFinding {
  readonly message: string;
  /** What makes the call one of 7.0, the first place first; undefined: that is for its author. */
  readonly edits: readonly Edit[] | undefined;
}

/** Where the user stands among the arguments. PUT, PATCH, DELETE and POSTMultiPart had no credentials. */
const USER_AT: ReadonlyMap<string, number> = new Map([
  ['GET', 2],
  ['HEAD', 1],
  ['POST', 4],
]);
export const HTTP_FUNCTIONS: ReadonlySet<string> = new Set(USER_AT.keys());

/** Undefined: the call is as it should be. `source`: of the whole script. */
export function httpFinding(call: FoundCall, source: string): HttpFinding | undefined {
  const { name, args, doubt } = call;
  const first = USER_AT.get(name) ?? 0;
  // With few arguments nothing can be wrong, whatever is called.
  if (args !== undefined && args.length <= first && args.every(({ kind }) => kind !== 'spread')) return undefined;
  if (args === undefined || doubt !== undefined) {
    return byHand(`${name}() cannot be looked at: ${doubt ?? 'its arguments are elsewhere'}`);
  }
  const [user, password, options, ...more] = args.slice(first);
  if (user === undefined || user.kind === 'map') return undefined;
  if (password === undefined) return single(name, user);
  if (more.length > 0 || (options !== undefined && name !== 'POST')) return byHand(`${name}() has too many arguments`);
  if (password.kind === 'map') return byHand(`${name}() has a user, but no password in front of its options`);
  const problem = optionsProblem(options);
  if (problem !== undefined) return byHand(`${name}(): ${problem}`);
  return rewritten({ ...call, args }, user, password, options, source);
}

function byHand(message: string): HttpFinding {
  return { message, edits: undefined };
}

/** One argument in the place of the user: options under a name, or what older versions understood otherwise. */
function single(name: string, user: FoundArgument): HttpFinding | undefined {
  if (name === 'GET') {
    return byHand(
      user.kind === 'other'
        ? 'the third argument of GET() is taken for options: if it is a selector of HTML, take the body apart in the script'
        : 'GET() with a selector of HTML is not supported: take the body apart in the script',
    );
  }
  return user.kind === 'other' ? undefined : byHand(`${name}() has a user without a password`);
}

function optionsProblem(options: FoundArgument | undefined): string | undefined {
  if (options === undefined || options.kind === 'null') return undefined;
  if (options.kind !== 'map') return 'what its last argument holds cannot be seen; timeout is in seconds now';
  if (options.keys === undefined) return 'not all keys of its last argument can be seen; timeout is in seconds now';
  if (options.keys.includes('timeout')) return 'timeout was in milliseconds and is in seconds now';
  return options.keys.some((key) => key === 'username' || key === 'password')
    ? 'it has a user and password twice'
    : undefined;
}

function rewritten(
  call: FoundCall & { readonly args: readonly FoundArgument[] },
  user: FoundArgument,
  password: FoundArgument,
  options: FoundArgument | undefined,
  source: string,
): HttpFinding {
  const { name, language, args } = call;
  const message = `${name}(): user and password belong into the options, which stand last${fileNote(call)}`;
  const all = options === undefined ? [user, password] : [user, password, options];
  if (!arePlain(all, language, source)) {
    return byHand(`${message}; what stands between the arguments is in the way of changing it`);
  }
  if (language === 'expression') {
    if (user.kind !== 'text' || password.kind !== 'text') {
      return byHand(`${message}; expressions have options for texts alone, otherwise use JavaScript`);
    }
    const json = JSON.stringify({ username: user.text, password: password.text });
    const text = `fromJson('${json.replace(/[\\']/g, '\\$&')}')`;
    return { message, edits: [{ at: user.at, end: (args.at(-1) ?? password).end, text }] };
  }
  const edits = [
    { at: user.at, end: user.at, text: '{ username: ' },
    { at: user.end, end: password.at, text: ', password: ' },
  ];
  // The braces of the options that are there become those of all.
  if (options?.keys !== undefined && options.keys.length > 0) {
    edits.push({ at: password.end, end: options.at + 1, text: ',' });
  } else edits.push({ at: password.end, end: (options ?? password).end, text: ' }' });
  return { message, edits };
}

/** Whether nothing but commas stands between arguments: no comments, and no brackets around them. */
function arePlain(args: readonly FoundArgument[], language: FoundCall['language'], source: string): boolean {
  const between = language === 'javascript' ? /^\s*,\s*$/ : /^[\s,;]*$/;
  return args.every((one, i) => {
    const next = args[i + 1];
    return next === undefined || between.test(source.slice(one.end, next.at));
  });
}

/** Files as bodies are new, so nobody can have meant one with text. */
function fileNote({ name, args }: FoundCall): string {
  return name !== 'POST' || args?.[1]?.kind !== 'other' ? '' : '; if the body is a File, add preemptive: true';
}
