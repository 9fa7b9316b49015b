/**
 * Markdown as it reads. The parser of the editor says what is what, and React writes it: HTML in a text stays text, links lead to other pages by
 * `http`, `https` and `mailto` alone, and pictures of other servers are not loaded.
 */
import type { markdownLanguage } from '@codemirror/lang-markdown';
import { createElement, Fragment, type ReactNode } from 'react';
import { useLoaded } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { readText } from '../tree-server.js';

type Tree = ReturnType<(typeof markdownLanguage)['parser']['parse']>;
type Node = Tree['topNode'];

/** Elements by the name of the node. */
const ELEMENTS: Readonly<Record<string, string>> = {
  ATXHeading1: 'h3',
  SetextHeading1: 'h3',
  ATXHeading2: 'h4',
  SetextHeading2: 'h4',
  ATXHeading3: 'h5',
  ATXHeading4: 'h6',
  ATXHeading5: 'h6',
  ATXHeading6: 'h6',
  Paragraph: 'p',
  Blockquote: 'blockquote',
  BulletList: 'ul',
  OrderedList: 'ol',
  ListItem: 'li',
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 'del',
  InlineCode: 'code',
  TableRow: 'tr',
  TableCell: 'td',
};

/** What is written for the parser alone. */
const SILENT = /Mark$|^TableDelimiter$|^CodeInfo$|^LinkTitle$|^LinkLabel$|^LinkReference$|^Comment/;

export function MarkdownFile({ id }: { readonly id: string }): ReactNode {
  const { value, problem } = useLoaded(async () => {
    const [{ text }, { markdownLanguage: language }] = await Promise.all([
      readText(id),
      import('@codemirror/lang-markdown'),
    ]);
    return { text, tree: language.parser.parse(text) };
  });
  if (value === undefined) return <Trouble problem={problem} />;
  return (
    <div className="markdown file-preview" dir="auto">
      {inside(value.tree.topNode, value.text)}
    </div>
  );
}

function inside(node: Node, source: string): ReactNode[] {
  const shown: ReactNode[] = [];
  let at = node.from;
  const text = (to: number): void => {
    // Blanks behind the mark of a heading belong to it.
    const piece = source.slice(at, to);
    if (piece.trim() !== '' || node.name !== 'Document') shown.push(piece);
  };
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.from > at) text(child.from);
    shown.push(<Fragment key={child.from}>{shownOf(child, source)}</Fragment>);
    at = child.to;
  }
  if (node.to > at) text(node.to);
  return shown;
}

function shownOf(node: Node, source: string): ReactNode {
  const { name } = node;
  const text = source.slice(node.from, node.to);
  if (SILENT.test(name)) return null;
  if (name === 'FencedCode' || name === 'CodeBlock') {
    const lines = node.getChildren('CodeText').map(({ from, to }) => source.slice(from, to));
    return (
      <pre>
        <code>{lines.join('')}</code>
      </pre>
    );
  }
  if (name === 'HorizontalRule') return <hr />;
  if (name === 'HardBreak') return <br />;
  if (name === 'Escape') return text.slice(1);
  if (name === 'TaskMarker')
    return <input type="checkbox" checked={/x/i.test(text)} readOnly disabled aria-label={text} />;
  if (name === 'Table') return table(node, source);
  if (name === 'Link' || name === 'Autolink' || name === 'URL' || name === 'Image') return link(node, source);
  const element = ELEMENTS[name];
  return element === undefined ? inside(node, source) : createElement(element, {}, ...inside(node, source));
}

function table(node: Node, source: string): ReactNode {
  const head = node.getChild('TableHeader');
  return (
    <table>
      {head === null ? null : (
        <thead>
          <tr>
            {head.getChildren('TableCell').map((cell) => (
              <th key={cell.from}>{inside(cell, source)}</th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {node.getChildren('TableRow').map((row) => (
          <tr key={row.from}>
            {row.getChildren('TableCell').map((cell) => (
              <td key={cell.from}>{inside(cell, source)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Links as they may be followed, else their words. A picture is the link to it. */
function link(node: Node, source: string): ReactNode {
  const url = node.name === 'URL' ? node : node.getChild('URL');
  const address = url === null ? '' : source.slice(url.from, url.to);
  const marks = node.getChildren('LinkMark');
  const [open, close] = marks;
  const words =
    node.name === 'URL' || node.name === 'Autolink' || open === undefined || close === undefined
      ? address
      : source.slice(open.to, close.from);
  if (!/^(https?:\/\/|mailto:)/i.test(address)) return words;
  return (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {words === '' ? address : words}
    </a>
  );
}
