import type { GraphNode } from '../../graph/index.js';
import type { Actor } from '../../schema/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { FilesContext } from '../context.js';
import type { Job } from '../jobs/job.js';
import { startCsvImport } from './csv/csv-import.js';
import { startDirectoryImport } from './directory/directory-import.js';
import { startXmlImport } from './xml/xml-import.js';

/** Jobs that make objects of files. Parameters are those of a request; what is wrong with them is a `FilesError`. */
export class Imports {
  constructor(private readonly context: FilesContext) {}

  /** Objects of the rows of a file that the actor may read. */
  csv(actor: Actor, file: GraphNode, input: JsonObject): Promise<Job> {
    return startCsvImport(this.context, actor, file, input);
  }

  /** Objects of the elements of a file that the actor may read. */
  xml(actor: Actor, file: GraphNode, input: JsonObject): Promise<Job> {
    return startXmlImport(this.context, actor, file, input);
  }

  /** Files of the server, for administrators. */
  directory(actor: Actor, input: JsonObject): Promise<Job> {
    return startDirectoryImport(this.context, actor, input);
  }
}
