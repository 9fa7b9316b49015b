/** The compiled schema of an open database, with what the settings say about values; for the server and for commands. */
import type { Config } from '../config/index.js';
import type { Graph } from '../graph/index.js';
import {
  SchemaService,
  type FunctionScriptsPlace,
  type ProcessingPlace,
  type ThumbnailsPlace,
} from '../schema/index.js';
import { EncryptionKeys } from '../scripting/index.js';

/** Where properties of files find what works on their content, once it is there. */
export type MediaPlace = ProcessingPlace & ThumbnailsPlace;

/** Without `functions` function properties read as null, without `media` nothing is done with the content of files. Throws `SchemaError` for a schema that does not compile. */
export function openSchema(
  config: Config,
  graph: Graph,
  keys = new EncryptionKeys(config),
  functions: FunctionScriptsPlace = { scripts: undefined },
  media: MediaPlace = { wants: undefined, read: undefined },
): Promise<SchemaService> {
  return SchemaService.start(graph, {
    dateFormat: config.get('dateproperty.defaultformat'),
    zonedDateTimeFormat: config.get('zoneddatetimeproperty.defaultformat'),
    timeZone: config.get('application.timezone') || Intl.DateTimeFormat().resolvedOptions().timeZone,
    get encryptionSecret() {
      return keys.key ?? '';
    },
    lenientJson: config.get('json.lenient'),
    functions,
    processing: media,
    thumbnails: media,
  });
}
