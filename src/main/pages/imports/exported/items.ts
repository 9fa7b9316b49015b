/** Pages, shared components and templates of an application, as their entries and files say them (docs/interface/deployment.md 3.6). */
import type { GraphNode, PropertyMap } from '../../../graph/index.js';
import { OF_OTHERS, SchemaError } from '../../../schema/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import type { HtmlNode } from '../read-html.js';
import type { Warn } from './values.js';

/** A page, a shared component or a template, as its entry and its file say it. */
export interface ExportedItem {
  readonly id: string;
  /** For messages: the file. */
  readonly place: string;
  readonly name: string | null;
  /** What its entry says beside that, as input. */
  readonly values: JsonObject;
  /** Somebody else than an administrator has written it. */
  readonly isOfOthers: boolean;
}

export interface ExportedTree extends ExportedItem {
  readonly nodes: readonly HtmlNode[];
}

export interface ExportedTemplate extends ExportedItem {
  readonly text: string;
  /** It is a shared component as well. */
  readonly isShared: boolean;
}

export interface TreesParts {
  /** The user or group of a name, if there is one. */
  readonly principal: (name: string) => Promise<GraphNode | undefined>;
  readonly warn: Warn;
  /** Every node has the visibility of its page, component or template, as it was before version 2 of the format. */
  readonly flagsOfItem: boolean;
}

/** What stands for all of a file: its element, or its text. */
export function rootsIn(nodes: readonly HtmlNode[]): readonly HtmlNode[] {
  const elements = nodes.filter(({ kind }) => kind === 'element');
  return elements.length > 0 ? elements : nodes;
}

export function flagsIn({ visibleToPublicUsers, visibleToAuthenticatedUsers }: JsonObject): JsonObject {
  return {
    visibleToPublicUsers: visibleToPublicUsers === true,
    visibleToAuthenticatedUsers: visibleToAuthenticatedUsers === true,
  };
}

export function given(id: string, isOfOthers: boolean): { readonly id: string; readonly properties: PropertyMap } {
  return { id, properties: isOfOthers ? OF_OTHERS : {} };
}

/** An error of the schema says in which file it is. */
export async function inPlace<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SchemaError && !error.message.startsWith(place)) error.message = `${place}: ${error.message}`;
    throw error;
  }
}
