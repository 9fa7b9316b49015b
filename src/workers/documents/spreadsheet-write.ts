/** Writes tables as XLSX on a thread of its own (`scripting/functions/formats/spreadsheets.ts`). */
import writeXlsxFile, { type Cell, type Feature, type Image } from 'write-excel-file/node';
import { outcomeOf, type Outcome } from '../outcome.js';

/** A cell in JSON: a date by its milliseconds, a text with a comment. */
export type PackedCell =
  null | string | number | boolean | { readonly d: number } | { readonly t: string; readonly c: string };

export interface SpreadsheetWriteJob {
  /** JSON of rows of `PackedCell`: one text is handed over faster than many values. */
  readonly rows: string;
  /** Format of dates, as spreadsheets write it. */
  readonly dateFormat: string;
}

type SheetFeature = Feature<Image['content']>;

interface Comment {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

export default function write({ rows, dateFormat }: SpreadsheetWriteJob): Promise<Outcome<Uint8Array>> {
  return outcomeOf(async () => {
    const comments: Comment[] = [];
    const cells = (JSON.parse(rows) as PackedCell[][]).map((row, r) =>
      row.map((cell, column): Cell => {
        if (cell === null || typeof cell === 'number' || typeof cell === 'boolean') return cell;
        if (typeof cell === 'string') return { value: plain(cell), type: String };
        if ('d' in cell) return { value: new Date(cell.d), type: Date, format: dateFormat };
        comments.push({ row: r, column, text: plain(cell.c) });
        return { value: plain(cell.t), type: String };
      }),
    );
    const features: SheetFeature[] = comments.length === 0 ? [] : [withComments(comments)];
    return writeXlsxFile(cells, { sheet: 'Sheet1' }, { features }).toBuffer();
  });
}

/** Characters that XML cannot have would break the whole sheet. */
function plain(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
}

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Comments of cells (ECMA-376, 18.7), with the drawing that spreadsheets want for each. */
function withComments(comments: readonly Comment[]): SheetFeature {
  return {
    files: {
      transform: {
        '[Content_Types].xml': {
          insert: () =>
            '<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>' +
            '<Override PartName="/xl/comments1.xml" ' +
            'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml"/>',
        },
        'xl/worksheets/sheet{id}.xml': { insert: () => '<legacyDrawing r:id="rId-comments-2"/>' },
        'xl/worksheets/_rels/sheet{id}.xml.rels': {
          insert: () =>
            `<Relationship Id="rId-comments-1" Type="${RELATIONSHIPS}/comments" Target="../comments1.xml"/>` +
            `<Relationship Id="rId-comments-2" Type="${RELATIONSHIPS}/vmlDrawing" Target="../drawings/vmlDrawing1.vml"/>`,
        },
      },
      write: {
        files: () => ({ 'xl/comments1.xml': texts(comments), 'xl/drawings/vmlDrawing1.vml': shapes(comments) }),
      },
    },
  };
}

function texts(comments: readonly Comment[]): string {
  const list = comments.map(
    ({ row, column, text }) =>
      `<comment ref="${letters(column)}${String(row + 1)}" authorId="0"><text><t xml:space="preserve">${escaped(text)}</t></text></comment>`,
  );
  return (
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><comments xmlns="${MAIN}">` +
    `<authors><author></author></authors><commentList>${list.join('')}</commentList></comments>`
  );
}

function shapes(comments: readonly Comment[]): string {
  const list = comments.map(
    ({ row, column }, i) =>
      `<v:shape id="_x0000_s${String(1025 + i)}" type="#_x0000_t202" style="position:absolute;visibility:hidden">` +
      `<x:ClientData ObjectType="Note"><x:Row>${String(row)}</x:Row><x:Column>${String(column)}</x:Column></x:ClientData></v:shape>`,
  );
  return (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" ' +
    'xmlns:x="urn:schemas-microsoft-com:office:excel">' +
    '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe"/>' +
    `${list.join('')}</xml>`
  );
}

/** A, B, ..., Z, AA, ... */
function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
