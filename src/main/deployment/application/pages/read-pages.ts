/** What an import has read of pages, components and templates. */
import type { ExportedTemplate, ExportedTree } from '../../../pages/index.js';
import type { SaidRights } from '../../tree/principal-names.js';

export interface ReadPage extends ExportedTree {
  readonly rights: SaidRights;
}

export interface ReadPages {
  templates: readonly ExportedTemplate[];
  components: readonly ExportedTree[];
  pages: readonly ReadPage[];
}
