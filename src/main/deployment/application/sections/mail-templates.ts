/** Templates of mails: `mail-templates.json`, and their texts as files of `mail-templates/`. */
import type { JsonObject } from '../../../../shared/json/index.js';
import { storedValue } from '../../../schema/index.js';
import { DeploymentError } from '../../common/errors.js';
import { textAt } from '../../tree/principal-names.js';
import { fileNamed } from '../../tree/target.js';
import { createMarked, listSection, textOf } from '../list-section.js';
import type { Section } from '../section.js';

const FOLDER = 'mail-templates';

const list = listSection({
  title: 'Mail Templates',
  file: 'mail-templates.json',
  type: 'MailTemplate',
  keys: ['id', 'name', 'locale', 'visibleToAuthenticatedUsers', 'visibleToPublicUsers'],
  sortedBy: ({ name, locale }) => [textOf(name), textOf(locale)],
  style: 'pretty',
  more: async ({ out }, nodes) => {
    const files = new Map<string, string>();
    const taken = new Set<string>();
    for (const node of [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const { name = null, locale = null } = node.properties;
      const base = `${String(name)}_-_${String(locale)}`;
      const wished = taken.has(`${base}.html`) ? `${base}_-_${node.id}.html` : `${base}.html`;
      taken.add(wished);
      files.set(node.id, fileNamed(wished, 'The mail template'));
    }
    await out.keepOnly(
      FOLDER,
      [...files.values()].map((file) => `${FOLDER}/${file}`),
    );
    const entries: JsonObject[] = [];
    for (const node of nodes) {
      const filename = files.get(node.id) ?? '';
      const text = storedValue(node, 'text');
      if (typeof text === 'string') await out.text(`${FOLDER}/${filename}`, text);
      entries.push({ filename });
    }
    return entries;
  },
  make: ({ objects }, type, { values: { filename: _file, ...values }, place }) =>
    createMarked(objects, type, values, place),
});

/** With the texts beside it. */
export const mailTemplates: Section = {
  ...list,
  read: async (reading) => {
    const { source } = reading;
    const texts = new Map<string, string | null>();
    const entries = (await source.entries('mail-templates.json')) ?? [];
    for (const [at, { id, filename }] of entries.entries()) {
      if (typeof id !== 'string' || filename === undefined || filename === null) continue;
      textAt(filename, `mail-templates.json[${String(at)}].filename`);
      if (typeof filename !== 'string') continue;
      if (filename.includes('/')) throw new DeploymentError(`mail-templates.json: "${filename}" is no name of a file.`);
      texts.set(id, (await source.text(`${FOLDER}/${filename}`)) ?? null);
    }
    const work = await list.read(reading);
    if (work === undefined) return undefined;
    return {
      ...work,
      connect: async (into) => {
        await work.connect?.(into);
        for (const [id, text] of texts) {
          const node = await into.objects.tx.node(id);
          if (node !== undefined) await into.objects.update(node, { text });
        }
      },
    };
  },
};
