/** Markdown: CommonMark with tables, strikethrough, links of bare addresses, typographic quotes and line breaks that are kept. */
import MarkdownIt from 'markdown-it';

/** Lists and quotations in each other. */
const DEEPEST = 50;

const engine = new MarkdownIt({ html: true, linkify: true, typographer: true, breaks: true, maxNesting: DEEPEST });

/** Headings are anchors of themselves: `<h1><a id="title" href="#title">Title</a></h1>`. */
engine.core.ruler.push('heading_anchors', ({ tokens, Token }) => {
  const taken = new Set<string>();
  tokens.forEach((token, i) => {
    const inline = tokens[i + 1];
    if (token.type !== 'heading_open' || inline === undefined || inline.children === null) return;
    const { children } = inline;
    // A link in a link is none.
    if (children.length === 0 || children.some(({ type }) => type === 'link_open' || type === 'html_inline')) return;
    const id = freeId(children.map(({ content }) => content).join(''), taken);
    const open = new Token('link_open', 'a', 1);
    open.attrs = [
      ['id', id],
      ['href', `#${encodeURIComponent(id)}`],
    ];
    inline.children = [open, ...children, new Token('link_close', 'a', -1)];
  });
});

function freeId(text: string, taken: Set<string>): string {
  const base =
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 100) || 'section';
  let id = base;
  for (let i = 2; taken.has(id); i++) id = `${base}-${String(i)}`;
  taken.add(id);
  return id;
}

export function markdown(text: string): string {
  return engine.render(text);
}
