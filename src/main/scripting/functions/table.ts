/** All functions of the library by name; a file of them is one line here (docs/interface/script-runtime.md 8). */
import type { FunctionCategory, ScriptFunction } from '../run/function/function.js';
import { camelCase } from '../language/camel-case.js';
import { archiveFunctions } from './files/archives.js';
import { barcodeFunctions } from './formats/barcode.js';
import { callFunctions } from './objects/calls.js';
import { eventFunctions } from './service/events.js';
import { imageFunctions } from './files/images.js';
import { fileFunctions } from './files/files.js';
import { cypherFunctions } from './databases/cypher.js';
import { databaseFunctions } from './databases/database.js';
import { findFunctions } from './objects/find.js';
import { fulltextFunctions } from './objects/fulltext.js';
import { localization } from './text/localization.js';
import { logic } from './values/logic.js';
import { objectFunctions } from './objects/objects.js';
import { relationshipFunctions } from './objects/relationships.js';
import { rightsFunctions } from './objects/rights.js';
import { changelogFunctions } from './service/changelog.js';
import { collections } from './values/collections.js';
import { control } from './service/control.js';
import { crypt } from './formats/crypt.js';
import { csv } from './formats/csv.js';
import { dates } from './values/dates.js';
import { encoding } from './formats/encoding.js';
import { geo } from './geo/geo.js';
import { geoCoverages } from './geo/geo-coverages.js';
import { geoFormats } from './geo/geo-formats.js';
import { geoPositions } from './geo/geo-positions.js';
import { geoServices } from './geo/geo-services.js';
import { http } from './messages/http.js';
import { json } from './formats/json.js';
import { mail } from './messages/mail.js';
import { mailTemplateFunctions } from './messages/mail-templates.js';
import { notificationFunctions } from './messages/notifications.js';
import { pdfFunctions } from './files/pdf.js';
import { numbers } from './values/numbers.js';
import { otherDatabases } from './databases/other-databases.js';
import { cssFunctions } from './pages/css.js';
import { markupFunctions } from './pages/markup.js';
import { renderingFunctions } from './pages/rendering.js';
import { patterns } from './text/patterns.js';
import { scheduling } from './service/schedule.js';
import { schemaFunctions } from './objects/schema.js';
import { system } from './service/system.js';
import { response } from './service/response.js';
import { sessionFunctions } from './service/sessions.js';
import { serverFileFunctions } from './files/server-files.js';
import { serverLog } from './service/server-log.js';
import { spreadsheets } from './formats/spreadsheets.js';
import { stores } from './service/stores.js';
import { strings } from './text/strings.js';
import { translation } from './text/translation.js';
import { videoFunctions } from './files/videos.js';
import { xml } from './formats/xml.js';
import { xpathFunctions } from './formats/xpath.js';

export { camelCase };

export const categories: readonly FunctionCategory[] = [
  // One a line.
  findFunctions,
  renderingFunctions,
  markupFunctions,
  cssFunctions,
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
  videoFunctions,
  serverFileFunctions,
  pdfFunctions,
  imageFunctions,
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
  changelogFunctions,
  eventFunctions,
  geoPositions,
  geo,
  geoFormats,
  geoServices,
  geoCoverages,
];

export const functionNames: readonly string[] = categories.flatMap(({ functions }) => functions.map((one) => one.name));

const byName: ReadonlyMap<string, ScriptFunction> = new Map(
  categories.flatMap(({ functions }) => functions.map((one) => [one.name, one] as const)),
);

/** The function of a name in either spelling; undefined: there is none. */
export function functionNamed(name: string): ScriptFunction | undefined {
  return byName.get(name) ?? byName.get(camelCase(name));
}
