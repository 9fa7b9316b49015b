/** All functions of the library by name; a file of them is one line here (docs/interface/script-runtime.md 8). */
import type { FunctionCategory, ScriptFunction } from '../function.js';
import { camelCase } from './camel-case.js';
import { archiveFunctions } from './archives.js';
import { barcodeFunctions } from './barcode.js';
import { callFunctions } from './calls.js';
import { fileFunctions } from './files.js';
import { cypherFunctions } from './cypher.js';
import { databaseFunctions } from './database.js';
import { findFunctions } from './find.js';
import { fulltextFunctions } from './fulltext.js';
import { localization } from './localization.js';
import { logic } from './logic.js';
import { objectFunctions } from './objects.js';
import { relationshipFunctions } from './relationships.js';
import { rightsFunctions } from './rights.js';
import { collections } from './collections.js';
import { control } from './control.js';
import { crypt } from './crypt.js';
import { csv } from './csv.js';
import { dates } from './dates.js';
import { encoding } from './encoding.js';
import { geo } from './geo.js';
import { geoCoverages } from './geo-coverages.js';
import { geoFormats } from './geo-formats.js';
import { geoPositions } from './geo-positions.js';
import { geoServices } from './geo-services.js';
import { http } from './http.js';
import { json } from './json.js';
import { mail } from './mail.js';
import { mailTemplateFunctions } from './mail-templates.js';
import { notificationFunctions } from './notifications.js';
import { pdfFunctions } from './pdf.js';
import { numbers } from './numbers.js';
import { otherDatabases } from './other-databases.js';
import { patterns } from './patterns.js';
import { scheduling } from './schedule.js';
import { schemaFunctions } from './schema.js';
import { system } from './system.js';
import { response } from './response.js';
import { sessionFunctions } from './sessions.js';
import { serverFileFunctions } from './server-files.js';
import { serverLog } from './server-log.js';
import { spreadsheets } from './spreadsheets.js';
import { stores } from './stores.js';
import { strings } from './strings.js';
import { translation } from './translation.js';
import { xml } from './xml.js';
import { xpathFunctions } from './xpath.js';

export { camelCase };

export const categories: readonly FunctionCategory[] = [
  // One a line.
  findFunctions,
  fulltextFunctions,
  objectFunctions,
  relationshipFunctions,
  databaseFunctions,
  cypherFunctions,
  otherDatabases,
  rightsFunctions,
  callFunctions,
  fileFunctions,
  archiveFunctions,
  serverFileFunctions,
  pdfFunctions,
  logic,
  strings,
  patterns,
  encoding,
  numbers,
  dates,
  collections,
  json,
  csv,
  spreadsheets,
  xml,
  xpathFunctions,
  barcodeFunctions,
  crypt,
  stores,
  control,
  response,
  http,
  mail,
  mailTemplateFunctions,
  notificationFunctions,
  localization,
  translation,
  sessionFunctions,
  scheduling,
  schemaFunctions,
  system,
  serverLog,
  geoPositions,
  geo,
  geoFormats,
  geoServices,
  geoCoverages,
];

const byName: ReadonlyMap<string, ScriptFunction> = new Map(
  categories.flatMap(({ functions }) => functions.map((one) => [one.name, one] as const)),
);

/** The function of a name in either spelling; undefined: there is none. */
export function functionNamed(name: string): ScriptFunction | undefined {
  return byName.get(name) ?? byName.get(camelCase(name));
}
