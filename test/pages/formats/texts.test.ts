/** Texts of pages in other formats than HTML (docs/interface/pages.md 3.3). */
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { allow } from '../../support/permissions.js';
import { bare, getPage, makePage, type Tree } from '../../support/pages.js';
import { TestServer } from '../../support/server.js';

let server: TestServer;
let admin: Client;
let nobody: Client;
let pages = 0;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  nobody = server.as();
});
afterAll(() => server.stop());

function text(contentType: string, content: string, fields: object = {}): Tree {
  return ['', { type: 'Content', contentType, content, ...fields }];
}

/** What is in the one element of a page. */
async function shown(...trees: Tree[]): Promise<string> {
  const name = `page-${String(++pages)}`;
  await makePage(admin, name, [bare(['div', {}, ...trees])]);
  const answer = await getPage(nobody, `/${name}`);
  expect(answer.status).toBe(200);
  expect(answer.text.startsWith('<div>') && answer.text.endsWith('</div>')).toBe(true);
  return answer.text.slice('<div>'.length, -'</div>'.length);
}

describe('content types', () => {
  test.each([
    ['text/plain', 'a <b>\n&', 'a &lt;b&gt;<br>&amp;'],
    ['', 'a <b>', 'a &lt;b&gt;'],
    ['text/html', '<b>x</b>\n', '<b>x</b>\n'],
    ['text/xml', '<svg/>', '<svg/>'],
    ['application/json', '{"a":"<"}', '{"a":"<"}'],
    ['text/css', 'a > b {}', 'a > b {}'],
    ['text/javascript', 'a < b', 'a < b'],
    ['text/unknown', '<i>', '<i>'],
  ])('%s', async (contentType, content, html) => {
    expect(await shown(text(contentType, content))).toBe(html);
  });
});

describe('Markdown', () => {
  test.each([
    ['paragraphs, emphasis', 'a *b* **c**\n\nd', '<p>a <em>b</em> <strong>c</strong></p>\n<p>d</p>'],
    ['headings are anchors', '# A title', '<h1><a id="a-title" href="#a-title">A title</a></h1>'],
    [
      'headings of one name',
      '## T\n\n## T',
      '<h2><a id="t" href="#t">T</a></h2>\n<h2><a id="t-2" href="#t-2">T</a></h2>',
    ],
    ['headings with links', '# [x](/y)', '<h1><a href="/y">x</a></h1>'],
    [
      'tables',
      '|a|b|\n|-|-|\n|1|2|',
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>',
    ],
    ['fenced code', '```js\na < b\n```', '<pre><code class="language-js">a &lt; b\n</code></pre>'],
    ['strikethrough', '~~a~~', '<p><s>a</s></p>'],
    ['links by themselves', 'http://a.example/x', '<p><a href="http://a.example/x">http://a.example/x</a></p>'],
    ['smart quotes', '"a" -- b...', '<p>“a” – b…</p>'],
    ['line breaks', 'a\nb', '<p>a<br>\nb</p>'],
    ['HTML of its author', '<b class="x">a</b>', '<p><b class="x">a</b></p>'],
    ['lists', '- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
  ])('%s', async (_, content, html) => {
    expect(await shown(text('text/markdown', content))).toBe(html);
  });

  test('texts and results of scripts are converted each by itself', async () => {
    expect(await shown(text('text/markdown', "*a* ${'*b*'} *c*"))).toBe(
      '<p><em>a</em></p><p><em>b</em></p><p><em>c</em></p>',
    );
    expect(await shown(text('text/markdown', "${{ $.print('*p*'); null }}"))).toBe('<p><em>p</em></p>');
    expect(await shown(text('text/markdown', '${null}${""}'))).toBe('');
  });

  test('what is rendered within it is written as it is', async () => {
    const template: Tree = [
      'Template',
      { contentType: 'text/markdown', content: '*a*${render(children)}*b*' },
      ['i', {}, 'x'],
    ];
    expect(await shown(template)).toBe('<p><em>a</em></p><i>x</i><p><em>b</em></p>');
    const printing: Tree = [
      'Template',
      { contentType: 'text/markdown', content: "${{ $.print('*p*'); $.render($.children); '*r*' }}" },
      ['i', {}, 'x'],
    ];
    expect(await shown(printing)).toBe('<p><em>p</em></p><i>x</i><p><em>r</em></p>');
  });

  test.each([
    '[x](javascript:alert(1))',
    '[x](JAVASCRIPT:alert(1))',
    '[x](<java\tscript:alert(1)>)',
    '<a href="javascript:alert(1)">x</a>',
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '<svg onload=alert(1)>',
    '<iframe src="javascript:alert(1)"></iframe>',
    '![x](javascript:alert(1))',
    '<p style="background:url(javascript:alert(1))">x</p>',
    '<javascript:alert(1)>',
    '[x]: javascript:alert(1)\n\n[x]',
  ])('a result brings nothing that runs: %s', async (vector) => {
    const html = await shown(text('text/markdown', `\${'${vector.replaceAll("'", "\\'").replaceAll('\n', '\\n')}'}`));
    expect(runs(html)).toBe('');
  });
});

describe('AsciiDoc', () => {
  test('sections and paragraphs', async () => {
    expect(await shown(text('text/asciidoc', '== A title\n\nA *text*.'))).toBe(
      '<div class="sect1">\n<h2 id="_a_title">A title</h2>\n<div class="sectionbody">\n<div class="paragraph">\n<p>A <strong>text</strong>.</p>\n</div>\n</div>\n</div>',
    );
  });

  test('no file is read', async () => {
    const html = await shown(
      text(
        'text/asciidoc',
        'a\n\ninclude::/etc/passwd[]\n\n:data-uri:\n\nimage::/etc/hostname[]\n\ninclude::svc.conf[]',
      ),
    );
    expect(html).not.toContain('root:');
    expect(html).not.toContain('superuser');
    expect(html).not.toContain('data:');
  });

  test('a result brings nothing that runs', async () => {
    const html = await shown(
      text('text/asciidoc', "${'link:javascript:alert(1)[x] pass:[<script>alert(1)</script>]'}"),
    );
    expect(runs(html)).toBe('');
    expect(html).toContain('<a>x</a>');
  });

  test('attributes that grow without end take what they may, and the page is shown', async () => {
    const lines = [':a0: xxxxxxxxxx'];
    for (let i = 1; i < 40; i++)
      lines.push(`:a${String(i)}: {a${String(i - 1)}}{a${String(i - 1)}}{a${String(i - 1)}}`);
    const html = await shown(text('text/asciidoc', `${lines.join('\n')}\n\n{a39}`));
    expect(html.length).toBeLessThan(20_000);
  });
});

describe('other formats', () => {
  test.each([
    ['text/textile', 'h1. T\n\n*a* _b_', '<h1>T</h1>\n<p><strong>a</strong> <em>b</em></p>'],
    ['text/textile', '|a|b|', '<table>\n\t<tr>\n\t\t<td>a</td>\n\t\t<td>b</td>\n\t</tr>\n</table>'],
    ['text/mediawiki', "== T ==\nA '''b''' ''i''", '<h2>T</h2>\n<p>A <b>b</b> <i>i</i></p>'],
    [
      'text/mediawiki',
      '[[Some page|x]] [http://a.example b]',
      '<p><a href="/Some%20page">x</a> <a href="http://a.example">b</a></p>',
    ],
    [
      'text/mediawiki',
      '* a\n** b\n# c\n; t\n: d',
      '<ul><li>a<ul><li>b</li></ul></li></ul><ol><li>c</li></ol><dl><dt>t</dt><dd>d</dd></dl>',
    ],
    [
      'text/mediawiki',
      '{| class="x"\n|+ cap\n! h !! i\n|-\n| a=b | 1 || 2\n|}',
      '<table><caption>cap</caption><tbody><tr><th>h</th><th>i</th></tr><tr><td>1</td><td>2</td></tr></tbody></table>',
    ],
    [
      'text/mediawiki',
      '<pre>\na <b>\n</pre>\n----\n<nowiki>[[x]]</nowiki>',
      '<pre>a &lt;b&gt;</pre>\n<hr>\n<p>[[x]]</p>',
    ],
    [
      'text/mediawiki',
      "it's 5 '' 6, {{template}} <ref>x</ref>",
      "<p>it's 5 '' 6, {{template}} &lt;ref&gt;x&lt;/ref&gt;</p>",
    ],
    ['text/mediawiki', '[[File:a.png|thumb|Alt]]', '<p><img src="/a.png" alt="Alt"></p>'],
    [
      'text/confluence',
      'h2. T\n\n*a* _b_ -c- 2*3*4 {{m}}',
      '<h2>T</h2>\n<p><strong>a</strong> <em>b</em> <del>c</del> 2*3*4 <code>m</code></p>',
    ],
    [
      'text/confluence',
      '[x|http://a.example] [Some page]',
      '<p><a href="http://a.example">x</a> <a href="/Some%20page">Some page</a></p>',
    ],
    ['text/confluence', '* a\n*# b', '<ul><li>a<ol><li>b</li></ol></li></ul>'],
    [
      'text/confluence',
      '||h||i||\n|1|[b|http://c.example]|',
      '<table><tbody><tr><th>h</th><th>i</th></tr><tr><td>1</td><td><a href="http://c.example">b</a></td></tr></tbody></table>',
    ],
    [
      'text/confluence',
      '{code:java}\na < b\n{code}\nbq. q\n{info}\n*x*\n{info}',
      '<pre>a &lt; b</pre>\n<blockquote><p>q</p></blockquote>\n<div class="info"><p><strong>x</strong></p></div>',
    ],
    [
      'text/tracwiki',
      "= T =\nA '''b''' //i// `c<`",
      '<h1>T</h1>\n<p>A <strong>b</strong> <em>i</em> <code>c&lt;</code></p>',
    ],
    ['text/tracwiki', ' * a\n   * b\n 1. c', '<ul><li>a<ul><li>b</li></ul></li></ul><ol><li>c</li></ol>'],
    [
      'text/tracwiki',
      '||= h =||x||\n{{{\n#!python\na < b\n}}}',
      '<table><tbody><tr><th>h</th><td>x</td></tr></tbody></table>\n<pre>a &lt; b</pre>',
    ],
    [
      'text/tracwiki',
      "[[Page|x]] [http://a.example b] !''c",
      '<p><a href="/Page">x</a> <a href="http://a.example">b</a> \'\'c</p>',
    ],
  ])('%s: %s', async (contentType, content, html) => {
    expect(await shown(text(contentType, content))).toBe(html);
  });

  test.each(['text/mediawiki', 'text/confluence', 'text/tracwiki'])('%s lets no HTML through', async (contentType) => {
    const vectors = [
      '<script>alert(1)</script> <img src=x onerror=alert(1)>',
      '[javascript:alert(1) x] [x|javascript:alert(1)] [[javascript:alert(1)|x]] !javascript:alert(1)! [[Image(javascript:alert(1))]]',
      '[[File:x" onerror="alert(1).png]] [http://a"onclick="alert(1) b] [x|http://a"onclick="alert(1)]',
    ];
    expect(runs(await shown(text(contentType, vectors.join('\n\n'))))).toBe('');
  });
});

describe('what takes too much', () => {
  test('a text that is too long is shown as it is, and the log says so', async () => {
    const html = await shown(text('text/markdown', `*a*${' b'.repeat(600_000)}`));
    expect(html.startsWith('*a* b')).toBe(true);
    await server.untilLogged(/a text is shown as it is written: it has more than/);
  });

  test('deep quotations end', async () => {
    const html = await shown(
      text('text/markdown', `${'>'.repeat(5000)} a`),
      text('text/tracwiki', `${'> '.repeat(5000)} a`),
    );
    expect(html.split('<blockquote>').length).toBeLessThan(100);
  });
});

const TAGS = /^(?:script|svg|iframe|object|embed|form|base|link|meta|style|math|input|button)$/;
const ATTRIBUTES = /^(?:on.*|style|srcdoc|formaction|data-svc-.*)$/;
const ADDRESSES = /^(?:https?:|mailto:|tel:|#|\/|[^:]*$)/;

/** What in HTML would run, or load something that runs, as a browser reads it. */
function runs(html: string): string {
  const found: string[] = [];
  const look = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) {
      if (TAGS.test(node.tagName)) found.push(node.tagName);
      for (const { name, value } of node.attrs) {
        const isAddress = name === 'href' || name === 'src';
        if (ATTRIBUTES.test(name) || (isAddress && !ADDRESSES.test(value))) found.push(`${name}=${value}`);
      }
    }
    if ('content' in node) look(node.content);
    if ('childNodes' in node) node.childNodes.forEach(look);
  };
  look(parseFragment(html));
  return found.join(' ');
}

test('what runs is found', () => {
  expect(runs('<p><script></script><template><a href=javascript:x onclick=y>z</a></template>')).toBe(
    'script href=javascript:x onclick=y',
  );
});

describe('texts of users who are no administrators', () => {
  let author: Client;

  beforeAll(async () => {
    await admin.create('User', { name: 'author', password: 'Author-pass-1' });
    author = server.as('author', 'Author-pass-1');
    await allow(admin, 'Content/_id', 'user', ['GET', 'PUT']);
  });

  /** What becomes of a text that the author writes into a content of an administrator. */
  async function written(content: string, contentType: string, around = 'div'): Promise<string> {
    const name = `page-${String(++pages)}`;
    const page = await makePage(admin, name, [bare([around, { _html_id: 'x' }, text('text/plain', 'before')])]);
    const [node] = (await admin.get(`/Content?pageId=${page}&content=before`)).body.result as { readonly id: string }[];
    const [user] = (await admin.get('/User?name=author')).body.result as { readonly id: string }[];
    const granted = await admin.put(`/Content/${String(node?.id)}`, { owner: user?.id });
    expect(granted.status).toBe(200);
    const answer = await author.put(`/Content/${String(node?.id)}`, { content, contentType });
    expect(answer.status).toBe(200);
    const { text: html } = await getPage(nobody, `/${name}`);
    return html.slice(html.indexOf('>') + 1, -`</${around}>`.length);
  }

  test('HTML keeps what is harmless', async () => {
    expect(
      await written(
        '<p class="a">x <b>y</b> <a href="https://a.example" id="b">z</a> <a href="#b">w</a></p>${1}',
        'text/html',
      ),
    ).toBe(
      '<p class="a">x <b>y</b> <a href="https://a.example" id="user-content-b">z</a> <a href="#user-content-b">w</a></p>${1}',
    );
  });

  const vectors = [
    '<script>alert(1)</script>',
    '<ScRiPt src=//x.example></sCrIpT>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" java\nscript:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="vbscript:x">x</a>',
    '<svg><script>alert(1)</script></svg>',
    '<svg><style><img src=x onerror=alert(1)></style></svg>',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<form action="https://x.example"><input name=a><button formaction="javascript:alert(1)">x</button></form>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<base href="//x.example">',
    '<meta http-equiv=refresh content="0;url=//x.example">',
    '<link rel=stylesheet href=//x.example>',
    '<p style="background:url(//x.example)">x</p>',
    '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">',
    '</div><script>alert(1)</script>',
    '<template><img src=x onerror=alert(1)></template>',
    '<plaintext><script>alert(1)</script>',
    '<!--><img src=x onerror=alert(1)>-->',
    '<![CDATA[<script>alert(1)</script>]]>',
    '<x-y onclick=alert(1)>z</x-y>',
    '<p data-svc-events="click" data-svc-id="x">y</p>',
  ];

  test.each(vectors)('nothing of HTML runs: %s', async (vector) => {
    const html = await written(vector, 'text/html');
    expect(runs(html)).toBe('');
    expect(html).not.toContain('</div>');
  });

  test('nor of other formats', async () => {
    for (const type of ['markdown', 'asciidoc', 'textile', 'mediawiki', 'confluence', 'tracwiki']) {
      const html = await written(
        `${vectors.slice(0, 12).join('\n\n')}\n\n"x":javascript:alert(1) link:javascript:alert(1)[x] [x](javascript:alert(1))\n\n++++\n<script>alert(1)</script>\n++++`,
        `text/${type}`,
      );
      expect(runs(html), type).toBe('');
    }
  });

  test('in elements whose text is no HTML it is text, or nothing', async () => {
    expect(await written('alert(1)', 'text/javascript', 'script')).toBe('');
    expect(await written('a{}</style><script>alert(1)</script>', 'text/css', 'style')).toBe('');
    expect(await written('</textarea><b>x</b>', 'text/html', 'textarea')).toBe('&lt;/textarea&gt;&lt;b&gt;x&lt;/b&gt;');
    expect(await written('</title><b>x</b>', 'text/markdown', 'title')).toBe('&lt;/title&gt;&lt;b&gt;x&lt;/b&gt;');
  });
});
