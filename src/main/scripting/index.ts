/** The scripting room: templates, expressions, JavaScript, and the functions they call. */
export { ScriptError, ScriptSyntaxError } from './language/errors.js';
export { detailOf, scriptInfo, type ScriptInfo } from './run/failed-scripts.js';
export { EncryptionKeys } from './run/keys.js';
export { jsonDate } from './language/text.js';
export { fromJsonValue, nameOfValue, toJsonValue as jsonOf } from './language/conversion.js';
export { methodOf, pathArguments } from './run/methods.js';
export { isKeyword } from './run/names/keywords.js';
export { scriptRequest } from './run/names/request-objects.js';
export { hearsDownloads } from './calling/callbacks.js';
export { Scripting } from './calling/scripting.js';
export type { Caller } from './run/caller.js';
export type { ScriptHost } from './run/host.js';
export type { RunOptions, ScriptRun } from './run/run.js';
export {
  analyseScript,
  analyseTemplate,
  type Analysis,
  type AnalysisOptions,
  type Finding,
} from './analysis/analysis.js';
export {
  placeOf as placeOfScript,
  scriptsOf,
  storedNotions,
  storedScripts,
  type StoredScript,
} from './analysis/stored-scripts.js';
export { evaluateMail } from './calling/mails.js';
export { formsOf, ScriptEntity, type ScriptMap, type ScriptValue } from './language/values.js';
export {
  attributeValue,
  isJavaScriptOf,
  PAGE_MARKUP,
  partsOf,
  replaceScripts,
  scriptValue,
  textsAround,
  writeScript,
  writeScripts,
  WrittenSeries,
  type PlacedScript,
  type TemplateForm,
  type TemplateScript,
} from './calling/templates.js';
export { escapeHtml } from './language/formats/html-entities.js';
export { failureText } from './run/failed-scripts.js';
export { countStep, forEach } from './run/limits/pace.js';
export { waitingSignal } from './run/limits/signals.js';
export { lastLines, serverLogs } from './outside/programs/server-logs.js';
export { callOut, download, type OutboundAnswer } from './outside/http/client.js';
export { charsetOf, textIn } from './outside/http/answer-body.js';
export { shownUrl, urlOf } from './outside/http/targets.js';
export { ScriptThreads } from './run/limits/threads.js';
export { SizedCache } from './language/sized-cache.js';
export { repeating } from './run/transaction/ending.js';
export type { BuiltinMethods, PageFunctions, Repeated, ScriptContext, ScriptRequest } from './run/run.js';
export { chain, isMap, isScriptObject, type Awaitable } from './language/values.js';
