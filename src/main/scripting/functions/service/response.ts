/** The request of a script and the answer to it (docs/interface/script-runtime.md 4.1). */
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import type { CookieOptions } from '../../../http/index.js';
import { indexOf, isOff, isOn, misused } from '../../run/function/arguments.js';

const setResponseHeader: ScriptFunction = {
  name: 'setResponseHeader',
  signature: 'setResponseHeader(name, value [, override = false])',
  meaning:
    'Adds a header to the answer, or replaces what scripts set of this name. Headers of the transport are refused.',
  example: "setResponseHeader('X-Total', '7') // ",
  min: 2,
  max: 3,
  run: ([name = null, value = null, override], context) => {
    if (name === null || value === null) return null;
    context.run.response.setHeader(textOf(name, context), textOf(value, context), isOn(override));
    return null;
  },
};

const removeResponseHeader: ScriptFunction = {
  name: 'removeResponseHeader',
  signature: 'removeResponseHeader(name)',
  meaning: 'Takes back a header that a script set.',
  example: "removeResponseHeader('X-Total') // ",
  min: 1,
  max: 1,
  run: ([name = null], context) => {
    if (name !== null) context.run.response.removeHeader(textOf(name, context));
    return null;
  },
};

const setResponseCode: ScriptFunction = {
  name: 'setResponseCode',
  signature: 'setResponseCode(status)',
  meaning: 'Status of the answer, from 200 to 599; its body stays the result.',
  example: 'setResponseCode(201) // ',
  min: 1,
  max: 1,
  run(args, context) {
    if (args[0] === null) return null;
    const status = indexOf(args[0]);
    if (status === undefined || status < 200 || status > 599) return misused(this, 'needs a status', context);
    context.run.response.status = status;
    return null;
  },
};

const getRequestHeader: ScriptFunction = {
  name: 'getRequestHeader',
  signature: 'getRequestHeader(name)',
  meaning: 'A header of the request; null when it has none of this name, or there is no request.',
  example: "getRequestHeader('X-Unknown') // ",
  min: 1,
  max: 1,
  pure: true,
  run: ([name = null], context) => {
    if (name === null) return null;
    const value = context.run.options.request?.exchange.header(textOf(name, context).toLowerCase()) ?? '';
    return value === '' ? null : value;
  },
};

const getCookie: ScriptFunction = {
  name: 'getCookie',
  signature: 'getCookie(name)',
  meaning: 'A cookie of the request; null when there is none of this name.',
  example: "getCookie('unknown') // ",
  min: 1,
  max: 1,
  pure: true,
  run: ([name = null], context) =>
    name === null ? null : (context.run.options.request?.exchange.cookie(textOf(name, context)) ?? null),
};

const setCookie: ScriptFunction = {
  name: 'setCookie',
  signature: 'setCookie(name, value [, secure [, httpOnly [, maxAge [, domain [, path]]]]])',
  meaning:
    'Sends a cookie with the answer; its age is in seconds, without one it ends with the browser. Without a request nothing is sent.',
  example: "setCookie('theme', 'dark', true, true, 3600) // ",
  min: 2,
  max: 7,
  run(args, context) {
    const [name = null, value = null, secure, httpOnly, maxAge = null, domain = null, path = null] = args;
    if (name === null || value === null) return null;
    const seconds = indexOf(maxAge);
    if (maxAge !== null && seconds === undefined) return misused(this, 'needs an age in seconds', context);
    const options: { -readonly [K in keyof CookieOptions]: CookieOptions[K] } = {};
    if (isOn(secure) || isOff(secure)) options.secure = isOn(secure);
    if (isOn(httpOnly) || isOff(httpOnly)) options.httpOnly = isOn(httpOnly);
    // Below zero it is as if none was given.
    if (seconds !== undefined && seconds >= 0) options.maxAge = seconds;
    if (domain !== null && domain !== '') options.domain = textOf(domain, context);
    if (path !== null && path !== '') options.path = textOf(path, context);
    const exchange = context.run.options.request?.exchange;
    if (exchange === undefined) return null;
    context.run.response.setCookie(exchange, textOf(name, context), textOf(value, context), options);
    return null;
  },
};

export const response: FunctionCategory = {
  title: 'Request and response',
  functions: [setResponseHeader, removeResponseHeader, setResponseCode, getRequestHeader, getCookie, setCookie],
};
