/** A schema with something of everything, for tests of its document. */
import type { Client } from '../../support/client.js';

export const PATH = '/maintenance/_schemaJson';
export const EMPTY = '{"definitions":{},"methods":[]}';

export async function exported(client: Client, path = PATH): Promise<string> {
  const answer = await client.get(path);
  if (answer.status !== 200) throw new Error(`GET ${path} answered ${String(answer.status)}: ${answer.text}`);
  return (answer.body as { result: string }).result;
}

/** A schema with something of everything, made over REST. */
export async function makeLibrary(admin: Client): Promise<void> {
  const principal = await admin.create('Group', { name: 'Editors' });
  const book = await admin.create('SchemaNode', {
    name: 'Book',
    inheritedTraits: ['Linkable'],
    tags: ['b', 'a'],
    defaultVisibleToPublic: true,
    defaultSortKey: 'title',
    schemaProperties: [
      { name: 'title', propertyType: 'String', notNull: true, indexed: true, format: '.{2,}' },
      { name: 'pages', propertyType: 'Integer', format: '[1,9999[' },
      { name: 'weight', propertyType: 'Double', format: '[1,' },
      { name: 'state', propertyType: 'Enum', format: 'open, done' },
      { name: 'kinds', propertyType: 'EnumArray', format: 'a,b' },
      { name: 'printed', propertyType: 'ZonedDateTime', format: 'yyyy' },
      { name: 'bought', propertyType: 'Date' },
      { name: 'numbers', propertyType: 'IntegerArray', format: '[0,5]', dbName: 'nums' },
      {
        name: 'half',
        propertyType: 'Function',
        readFunction: '{ return $.this.pages / 2; }',
        readFunctionWrapJS: false,
      },
    ],
    schemaMethods: [
      {
        name: 'read',
        source: "{ return '<b>' + $.args.from; }",
        httpVerb: 'GET',
        wrapJsInMain: false,
        parameters: [
          { name: 'to', parameterType: 'Integer', index: 1 },
          { name: 'from', parameterType: 'Integer', index: 0, exampleValue: '1' },
        ],
      },
      { name: 'onCreate', source: '{ $.log("x"); }' },
    ],
    schemaViews: [
      { name: 'short', nonGraphProperties: 'title, id, pages' },
      { name: 'empty' },
      { name: 'public', nonGraphProperties: 'title', sortOrder: 'title, id' },
    ],
  });
  const author = await admin.create('SchemaNode', { name: 'Author', description: "It's <me> & = you" });
  await admin.create('SchemaRelationshipNode', {
    sourceId: book,
    targetId: author,
    relationshipType: 'WRITTEN_BY',
    sourceMultiplicity: '*',
    targetMultiplicity: '*',
    targetJsonName: 'authors',
    permissionPropagation: 'Out',
    readPropagation: 'Add',
    cascadingDeleteFlag: 4,
    autocreationFlag: 1,
    schemaProperties: [{ name: 'part', propertyType: 'Long' }],
  });
  const related = { Notion: 'authors, name', IdNotion: 'authors', Count: 'authors' };
  for (const [propertyType, format] of Object.entries(related))
    await admin.create('SchemaProperty', { schemaNode: book, name: `author${propertyType}`, propertyType, format });
  await admin.create('SchemaRelationshipNode', {
    sourceId: book,
    targetType: 'User',
    relationshipType: 'LENT_TO',
    sourceMultiplicity: '*',
    targetMultiplicity: '1',
  });
  await admin.create('SchemaGrant', { principal, schemaNode: book, allowRead: true, allowWrite: true });
  await admin.create('SchemaProperty', { staticSchemaNodeName: 'File', name: 'shelf', propertyType: 'String' });
  await admin.create('SchemaMethod', { name: 'sum', source: '1 + 1' });
  await admin.create('SchemaMethod', { name: 'nothing' });
}
