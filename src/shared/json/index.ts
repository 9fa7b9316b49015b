/** JSON: its values, reading it as clients send it, texts of it. */
export { isJsonObject, type JsonObject, type JsonValue } from './value.js';
export { JsonLimitError } from './limit-error.js';
export { decodeJson, parseJson, parseJsonSync, type JsonParseOptions } from './parse.js';
export { JsonReader, type JsonReaderOptions } from './reader.js';
export { JsonSyntaxError } from './syntax-error.js';
export { jsonString } from './text.js';
