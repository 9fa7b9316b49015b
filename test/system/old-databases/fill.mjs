/*
 * Fills the empty database of a server at port 18077 with some of everything that an update has to keep: types with indexes, relations, objects,
 * users, scripts as before 7.0, files. See README.md.
 */
const url = 'http://127.0.0.1:18077';
const headers = { 'X-User': 'admin', 'X-Password': 'admin', 'Content-Type': 'application/json' };
const OLD = "$.GET('http://127.0.0.1:1', 'text/plain', 'u', 'p')";

async function post(path, body) {
  const answer = await fetch(`${url}/svc/rest${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} ${answer.status} ${text}`);
  return JSON.parse(text).result[0];
}
const content = (text) => ({ base64Data: Buffer.from(text).toString('base64') });

const author = await post('/SchemaNode', {
  name: 'Author',
  schemaProperties: [
    { name: 'born', propertyType: 'Date' },
    { name: 'code', propertyType: 'String', unique: true, indexed: true },
  ],
});
const book = await post('/SchemaNode', {
  name: 'Book',
  schemaProperties: [
    { name: 'title', propertyType: 'String', indexed: true, fulltext: true },
    { name: 'pages', propertyType: 'Integer' },
    { name: 'secret', propertyType: 'Encrypted' },
  ],
  schemaMethods: [{ name: 'fetch', source: `{ return ${OLD}.status; }` }],
});
await post('/SchemaRelationshipNode', {
  sourceId: author,
  targetId: book,
  relationshipType: 'WROTE',
  sourceMultiplicity: '1',
  targetMultiplicity: '*',
  sourceJsonName: 'author',
  targetJsonName: 'books',
});
const id = await post('/Author', { name: 'Ada', code: 'a-1', born: '1815-12-10T00:00:00+0000' });
for (let i = 0; i < 20; i++) {
  await post('/Book', { name: `book ${i}`, title: `The garden number ${i}`, pages: i * 10, author: { id } });
}
await post('/SchemaMethod', { name: 'global', source: `{ return ${OLD}.status; }` });
await post('/User', { name: 'reader', password: 'reader' });
await post('/File', { name: 'hello.txt', ...content('hello from format 4') });
await post('/File', { name: 'page.html', isTemplate: true, ...content(`<p>\${${OLD.slice(2)}.body}</p>`) });
