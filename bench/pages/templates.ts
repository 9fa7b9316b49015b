/** The page of 50 rows in the languages of the peers, with the white space that the server writes. */
import { SCRIPTS } from './trees.js';

export type PageEngine = 'handlebars' | 'eta' | 'ejs';

export interface Row {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly active: number;
  readonly note: string;
}

interface Language {
  readonly rows: readonly [begin: string, end: string];
  readonly id: string;
  readonly cells: readonly string[];
  readonly script: (i: number) => string;
}

/** Values are escaped in all of them. */
const script = (i: number): string =>
  `(() => { const words = ['page', 'row', 'cell']; return words[${String(i)} % 3].toUpperCase() + ${String(i)} * 7; })()`;

const embedded = (rows: string): Language => ({
  rows: [`<% for (const row of ${rows}) { %>`, '<% } %>'],
  id: '<%= row.id %>',
  cells: [
    '<%= row.name %>',
    '<%= row.code.toUpperCase() %>',
    "<%= row.active ? 'in use' : 'not in use' %>",
    "<%= row.note + ', ' + row.code %>",
  ],
  script: (i) => `<%= ${script(i)} %>`,
});

const LANGUAGES: Readonly<Record<PageEngine, Language>> = {
  handlebars: {
    rows: ['{{#each rows}}', '{{/each}}'],
    id: '{{id}}',
    cells: ['{{name}}', '{{upper code}}', '{{#if active}}in use{{else}}not in use{{/if}}', '{{note}}, {{code}}'],
    script: () => {
      throw new Error('Handlebars has no expressions in JavaScript');
    },
  },
  eta: embedded('it.rows'),
  ejs: embedded('rows'),
};

/** `name`: of the page; `scripts`: with the paragraphs that hold JavaScript. */
export function pageTemplate(engine: PageEngine, name: string, scripts: boolean): string {
  const { rows, id, cells, script: paragraph } = LANGUAGES[engine];
  const row =
    `\n\t\t\t\t<tr data-repeater-data-object-id="${id}">` +
    cells.map((cell) => `\n\t\t\t\t\t<td>${cell}</td>`).join('') +
    '\n\t\t\t\t</tr>';
  const paragraphs = scripts ? Array.from({ length: SCRIPTS }, (_, i) => `\n\t\t<p>${paragraph(i)}</p>`).join('') : '';
  return (
    `<!DOCTYPE html>\n<html>\n\t<head>\n\t\t<title>${name}</title>\n\t</head>\n\t<body>\n\t\t<table id="rows">` +
    `${rows[0]}${row}${rows[1]}\n\t\t</table>${paragraphs}\n\t</body>\n</html>`
  );
}
