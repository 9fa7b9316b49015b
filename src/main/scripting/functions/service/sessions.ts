/** Sessions, logins and tokens (docs/interface/script-runtime.md 1.3, 6.1). */
import { ALLOW_ALL, SYSTEM } from '../../../schema/index.js';
import { AccessError, newConfirmationKey, SESSION_COOKIE } from '../../../security/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { isOf } from '../../run/names/lookup.js';
import { note } from '../../run/notes.js';
import { sessionBegins, sessionObject } from '../../run/names/request-objects.js';
import { textOf } from '../../language/text.js';
import { chain, type ScriptEntity, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { doubleOf, misused } from '../../run/function/arguments.js';

/** Minutes a token may hold: ten years. */
const LONGEST = 10 * 366 * 24 * 60;

const getSessionAttribute: ScriptFunction = {
  name: 'getSessionAttribute',
  signature: 'getSessionAttribute(key)',
  meaning: 'What was kept in the session under this key; null when there is nothing, or no session.',
  example: "getSessionAttribute('cart') // ",
  min: 1,
  max: 1,
  pure: true,
  run: ([key = null], context) =>
    key === null ? null : chain(sessionObject(context), (session) => session?.get(textOf(key, context)) ?? null),
};

function keep(
  name: string,
  key: ScriptValue,
  value: ScriptValue,
  context: ScriptContext,
): ReturnType<ScriptFunction['run']> {
  if (key === null) return null;
  return chain(sessionObject(context, true), (session) => {
    if (session === null) {
      note(context, `${name}() was called without a request`);
      return null;
    }
    return chain(session.set?.(textOf(key, context), value), () => null);
  });
}

const setSessionAttribute: ScriptFunction = {
  name: 'setSessionAttribute',
  signature: 'setSessionAttribute(key, value)',
  meaning:
    'Keeps a value in the session of the user, in the memory of this instance; null takes it away. Without a session it is kept until the request is over, or for the session that a login in it begins.',
  example: "setSessionAttribute('cart', 'empty') // ",
  min: 2,
  max: 2,
  run: ([key = null, value = null], context) => keep('setSessionAttribute', key, value, context),
};

const removeSessionAttribute: ScriptFunction = {
  name: 'removeSessionAttribute',
  signature: 'removeSessionAttribute(key)',
  meaning: 'Takes away what was kept in the session under this key.',
  example: "removeSessionAttribute('cart') // ",
  min: 1,
  max: 1,
  run: ([key = null], context) => keep('removeSessionAttribute', key, null, context),
};

const login: ScriptFunction = {
  name: 'login',
  signature: 'login(user, password)',
  meaning:
    'Begins a session of the user, whose cookie goes with the answer, when this is his password; otherwise nothing. Answers whether he is ' +
    'logged in. Attempts are limited and counted as everywhere else. To be called before anything is written.',
  example: "login(first(find('User', 'name', 'jane')), 'a guess')",
  min: 2,
  max: 2,
  async run(args, context) {
    const [user, password = null] = args;
    if (args.includes(null)) return null;
    if (!isOf(user, 'User', context) || typeof password !== 'string')
      return misused(this, 'needs a user and a password', context);
    const { run } = context;
    const { security } = run.parts;
    const exchange = run.options.request?.exchange;
    if (exchange === undefined) {
      note(context, `login() needs a request`);
      return false;
    }
    if (security.cookies.foreign(exchange)) throw new ScriptError(403, 'Pages of other sites cannot log in here');
    // Failures are counted in a transaction of their own, which would wait for this script's for ever.
    if (run.transaction.writes || run.transaction.besideWriter !== undefined)
      throw new ScriptError(422, 'login() has to be called before the script writes anything.');
    try {
      security.loginLimiter.check(exchange.address);
      run.transaction.reachesOut('a login');
      const known = await security.login.confirm(user.id, password, exchange);
      // What is counted at the user is not somebody else's doing.
      run.transaction.refresh();
      const objects = await run.transaction.objects(SYSTEM, ALLOW_ALL);
      const session = await security.sessions.beginWithin(objects, known.id);
      run.response.setCookie(exchange, SESSION_COOKIE, session, {});
      sessionBegins(run, session, known.id);
      run.transaction.onEnd((committed) => {
        if (committed) void security.events.listener?.loggedIn(known.id);
      });
      return true;
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      note(context, `login() of ${user.id}: ${error.message}`);
      return false;
    }
  },
};

/** Minutes; undefined: none are given. Throws `ScriptError` 422. */
function minutesIn(value: ScriptValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  const minutes = doubleOf(value);
  if (minutes === undefined || !(minutes > 0) || minutes > LONGEST) {
    throw new ScriptError(422, `A token holds for more than 0 and at most ${String(LONGEST)} minutes.`);
  }
  return minutes;
}

/** Counts from the commit of the script on. */
async function issue(
  user: ScriptEntity,
  ages: { readonly access?: number | undefined; readonly refresh?: number | undefined },
  { run }: ScriptContext,
): Promise<{ readonly accessToken: string; readonly refreshToken: string; readonly expires: number }> {
  const { tx } = await run.transaction.objects(SYSTEM, ALLOW_ALL);
  try {
    return await run.parts.security.tokens.issueWithin(tx, user.id, ages);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    throw new ScriptError(error.status === 503 ? 503 : 422, error.message);
  }
}

const createAccessToken: ScriptFunction = {
  name: 'createAccessToken',
  signature: 'createAccessToken(user [, minutes])',
  meaning: 'An access token (JWT) of the user, which holds for so many minutes, or as long as the settings say.',
  example: "createAccessToken(first(find('User', 'name', 'jane')), 30)",
  min: 1,
  max: 2,
  run(args, context) {
    const [user, minutes] = args;
    if (user === null) return null;
    if (!isOf(user, 'User', context)) return misused(this, 'needs a user', context);
    const access = minutesIn(minutes) ?? context.run.parts.config.get('security.jwt.expirationtime');
    return issue(user, { access, refresh: access }, context).then(({ accessToken }) => accessToken);
  },
};

const createAccessAndRefreshToken: ScriptFunction = {
  name: 'createAccessAndRefreshToken',
  signature: 'createAccessAndRefreshToken(user [, accessMinutes [, refreshMinutes]])',
  meaning:
    'Map with the tokens of a new login of the user: `access_token`, `refresh_token`, and `expiration_date` of the first (ms since 1970, ' +
    'as text).',
  example: "createAccessAndRefreshToken(first(find('User', 'name', 'jane')), 30, 600)",
  min: 1,
  max: 3,
  run(args, context) {
    const [user, access, refresh] = args;
    if (user === null) return null;
    if (!isOf(user, 'User', context)) return misused(this, 'needs a user', context);
    return issue(user, { access: minutesIn(access), refresh: minutesIn(refresh) }, context).then(
      (pair): ScriptMap =>
        new Map([
          ['access_token', pair.accessToken],
          ['refresh_token', pair.refreshToken],
          ['expiration_date', String(pair.expires)],
        ]),
    );
  },
};

const confirmationKey: ScriptFunction = {
  name: 'confirmationKey',
  signature: 'confirmationKey()',
  meaning:
    'A key that nobody can guess, for a link of a mail: as `confirmationKey` of a user it counts once, for the time of the settings.',
  example: 'empty(confirmationKey()) // false',
  max: 0,
  pure: true,
  run: () => newConfirmationKey(),
};

export const sessionFunctions: FunctionCategory = {
  title: 'Sessions and tokens',
  functions: [
    getSessionAttribute,
    setSessionAttribute,
    removeSessionAttribute,
    login,
    createAccessToken,
    createAccessAndRefreshToken,
    confirmationKey,
  ],
};
