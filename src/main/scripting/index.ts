/** The scripting room: templates, expressions, JavaScript, and the functions they call. */
export { ScriptError, ScriptSyntaxError } from './errors.js';
export { scriptInfo, type ScriptInfo } from './failed-scripts.js';
export { EncryptionKeys } from './keys.js';
export { jsonDate } from './text.js';
export { fromJsonValue, nameOfValue, toJsonValue as jsonOf } from './conversion.js';
export { methodOf, pathArguments } from './methods.js';
export { scriptRequest } from './request-objects.js';
export { Scripting, type Caller } from './scripting.js';
export type { ScriptHost } from './host.js';
export type { RunOptions, ScriptRun } from './run.js';
export { analyseScript, analyseTemplate, type Analysis, type Finding } from './analysis/analysis.js';
export { notionFinding } from './analysis/notions.js';
export { analyseStoredScripts, type StoredFinding } from './analysis/stored-scripts.js';
export { evaluateMail } from './mail/templates.js';
export { formsOf, ScriptEntity, type ScriptMap, type ScriptValue } from './values.js';
