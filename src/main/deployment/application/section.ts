/** What a section of an application export is: one file in `sections/`, one line in `table.ts`. */
import type { GraphNode, ReadTransaction } from '../../graph/index.js';
import type { ObjectTransaction, Schema } from '../../schema/index.js';
import type { DeploymentContext } from '../common/context.js';
import type { Report } from '../common/report.js';
import type { ExportSource } from '../tree/source.js';
import type { ExportTarget } from '../tree/target.js';
import type { PrincipalNames } from '../tree/principal-names.js';

export interface Exporting {
  readonly context: DeploymentContext;
  /** All sections read one state. */
  readonly tx: ReadTransaction;
  readonly schema: Schema;
  readonly out: ExportTarget;
  readonly report: Report;
}

export interface ReadingExport {
  readonly context: DeploymentContext;
  readonly source: ExportSource;
  readonly report: Report;
  /** Adds to the application that is there instead of replacing it (`extendExistingApp`). */
  readonly extend: boolean;
  /** The export says all of pages, components and templates, so that what is there of them goes. */
  readonly replacesPages: boolean;
  /** What nothing is said of has the visibility of what it is in; without, as in older exports, that of its page. */
  readonly flagsOfParent: boolean;
  readonly signal: AbortSignal;
  /** Done when the import has ended: with true when it was committed. */
  readonly afterwards: (work: (committed: boolean) => Promise<void> | void) => void;
}

export interface Importing {
  readonly objects: ObjectTransaction;
  readonly principals: PrincipalNames;
  readonly report: Report;
}

/** What a section does in the one transaction of an import, in this order over all sections. */
export interface SectionWork {
  /** Takes away what is replaced; with the schema as it was. */
  readonly remove?: (into: Importing) => Promise<void>;
  /** Changes the schema that everything after it works with. */
  readonly define?: (into: Importing) => Promise<void>;
  /** Makes its objects; those of sections before it are there. */
  readonly create?: (into: Importing) => Promise<void>;
  /** Links what sections behind it have made. */
  readonly connect?: (into: Importing) => Promise<void>;
}

export interface Section {
  /** Shown as progress. */
  readonly title: string;
  readonly write: (exporting: Exporting) => Promise<void>;
  /**
   * Reads its files and checks what can be checked without the graph; undefined: the export has no such section, and what is there of it stays. Throws
   * `DeploymentError` that names file and place.
   */
  readonly read: (reading: ReadingExport) => Promise<SectionWork | undefined>;
}

/** A section whose step begins with more. */
export function withFirst(
  section: Section,
  step: 'remove' | 'create',
  first: (into: Importing) => Promise<void>,
): Section {
  return {
    ...section,
    read: async (reading) => {
      const work = await section.read(reading);
      if (work === undefined) return undefined;
      const both = async (into: Importing): Promise<void> => {
        await first(into);
        await work[step]?.(into);
      };
      return { ...work, [step]: both };
    },
  };
}

/** All objects of a type and its subtypes. */
export async function allOf(tx: ReadTransaction, schema: Schema, type: string): Promise<GraphNode[]> {
  const types = schema.type(type)?.concreteTypes ?? [];
  const all: GraphNode[] = [];
  for await (const batch of tx.stream({ kind: 'nodes', trait: type, types })) all.push(...batch);
  return all;
}

/** Deletes all objects of a type; what goes with one of them may be gone already. */
export async function removeAll({ objects }: Importing, type: string): Promise<void> {
  for (const node of await allOf(objects.tx, objects.schema, type)) {
    if ((await objects.tx.node(node.id)) !== undefined) await objects.delete(node);
  }
}
