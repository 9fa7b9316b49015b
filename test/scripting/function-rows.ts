/**
 * Expressions with the text of their results, for functions and keywords whose documented example does not say its result. A row for
 * each of them, here or in `ELSEWHERE`, is what `function-table.test.ts` insists on.
 */

/** `javascript`: where it cannot be made of the expression (block functions, lists). A function of a row is every one it calls. */
export interface Row {
  readonly expression: string;
  readonly result: string | RegExp;
  readonly javascript?: string;
}

const row = (expression: string, result: string | RegExp, javascript?: string): Row => ({
  expression,
  result,
  ...(javascript === undefined ? {} : { javascript }),
});

const A = "first(find('Thing', 'name', 'a'))";
const B = "first(find('Thing', 'name', 'b'))";
const JANE = "first(find('User', 'name', 'jane'))";
const TEAM = "first(find('Group', 'name', 'team'))";
const names = (found: string): string => `join(extract(${found}, 'name'), ',')`;

/** Things `a` (size 1) and `b` (size 2, at 50.1, 8.6), `NEAR` from a to b; user jane, group team; user-defined function `twice`. */
export const rows: readonly Row[] = [
  // Finding.
  row(names("find('Thing', sort('name'))"), 'a,b,self'),
  row(names("search('Thing', 'name', 'A')"), 'a'),
  row(names("findPrivileged('Thing', 'size', 2)"), 'b'),
  row("size(findRelationship('ThingNEARThing'))", '1'),
  row("getOrCreate('Thing', 'name', 'a').size", '1', "$.getOrCreate('Thing', 'name', 'a').size"),
  row("get(createOrUpdate('Thing', 'code', 'code-a', 'title', 't'), 'name')", 'a'),
  row(names("find('Thing', and(equals('name', 'a'), not(empty('size'))))"), 'a'),
  row(names("find('Thing', or(equals('name', 'a'), equals('name', 'b')), sort('name', true))"), 'b,a'),
  row(names("find('Thing', not(equals('name', 'a')), sort('name'))"), 'b,self'),
  row(names("find('Thing', contains('name', 'EL'))"), 'self'),
  row(names("find('Thing', startsWith('name', 'se'))"), 'self'),
  row(names("find('Thing', endsWith('name', 'lf'))"), 'self'),
  row(names("find('Thing', empty('size'))"), 'self'),
  row(names("find('Thing', 'size', range(2, 3))"), 'b'),
  row(names("find('Thing', 'size', lt(2))"), 'a'),
  row(names("find('Thing', 'size', lte(1))"), 'a'),
  row(names("find('Thing', 'size', gt(1))"), 'b'),
  row(names("find('Thing', 'size', gte(2))"), 'b'),
  row(names("find('Thing', equals('name', any(merge('a', 'none'))))"), 'a'),
  row(names("find('Place', withinDistance(50.1, 8.6, 10))"), 'near'),
  row(names("find('Thing', sort('name'), page(2, 1))"), 'b'),
  row(names("find('Thing', sort('nearFrom.name'), sort('name'))"), 'a,self,b'),
  row("find('Nothing')", 'Error in find(): type not found: Nothing'),
  row("search('Nothing')", 'Error in search(): type Nothing not found.'),
  row('find()', 'Error in find(): no type specified.'),
  row("get(logEvent('VIEW', 'a product', 'u1'), 'message')", 'a product'),
  // Objects.
  row("get(create('Thing', 'name', 'made'), 'name')", 'made'),
  row("(set(this, 'title', 'x'), get(this, 'title'))", 'x'),
  row("(setPrivileged(this, 'title', 'y'), get(this, 'title'))", 'y'),
  row("(delete(create('Thing', 'name', 'gone')), size(find('Thing', 'name', 'gone')))", '0'),
  row("getOrNull(this, 'none')", ''),
  // Relationships.
  row(`(get(createRelationship(${B}, this, 'NEAR'), 'relType'), rollbackTransaction())`, 'NEAR'),
  row(`size(incoming(${A}, 'NEAR'))`, '0'),
  row(`size(outgoing(${A}, 'NEAR'))`, '1'),
  row(`hasRelationship(${B}, ${A}, 'NEAR')`, 'true'),
  row(`hasIncomingRelationship(${B}, ${A}, 'NEAR')`, 'true'),
  row(`hasOutgoingRelationship(${B}, ${A}, 'NEAR')`, 'false'),
  row(`size(getRelationships(${A}, ${B}))`, '1'),
  row(`size(getIncomingRelationships(${A}, ${B}))`, '0'),
  row(`size(getOutgoingRelationships(${A}, ${B}))`, '1'),
  row(`join(getRelationshipTypes(${A}, 'existing', 'outgoing'), ',')`, 'NEAR'),
  row(`(rollbackTransaction(), set(this, 'title', 'lost'))`, ''),
  row("get(this, 'title')", 'y'),
  // The database.
  row("(disableCascadingDelete(), enableCascadingDelete(), 'on')", 'on'),
  row("(disableUuidValidation(), get(create('Thing', 'id', concat('own-', random(8))), 'name'))", ''),
  row(
    `(createRelationship(${A}, this, 'NEAR'), disablePreventDuplicateRelationships(), createRelationship(${A}, this, 'NEAR'),
      size(getRelationships(${A}, this)), rollbackTransaction())`,
    /2$/,
  ),
  row("(unlockReadonlyPropertiesOnce(this), set(this, 'fixed', 'f'), get(this, 'fixed'))", 'f'),
  row("(unlockSystemPropertiesOnce(this), set(this, 'createdBy', 'importer'), get(this, 'createdBy'))", 'importer'),
  row('get(instantiate(this.id), "name")', 'self'),
  // Rights.
  row(`(grant(${JANE}, ${A}, 'read'), isAllowed(${JANE}, ${A}, 'read'))`, 'true'),
  row(`(copyPermissions(${A}, ${B}), isAllowed(${JANE}, ${B}, 'read'))`, 'true'),
  row(`(revoke(${JANE}, ${A}, 'read'), isAllowed(${JANE}, ${A}, 'read'))`, 'false'),
  row(`(addToGroup(${TEAM}, ${JANE}), isInGroup(${TEAM}, ${JANE}))`, 'true'),
  row(`(removeFromGroup(${TEAM}, ${JANE}), isInGroup(${TEAM}, ${JANE}))`, 'false'),
  // Scripts.
  row("call('twice', 'text', 'x')", 'xx'),
  row("callPrivileged('twice', 'text', 'y')", 'yy'),
  row("evaluateScript(this, 'this.name')", 'self'),
  row("replace('Hello ${this.name}', this)", 'Hello self'),
  row("template('welcome', 'en', this)", 'Dear self'),
  row("template('welcome', 'de', this)", ''),
  row("(disableNotifications(), enableNotifications(), 'on')", 'on'),
  row('length(createAccessToken(me))', /^\d{3,4}$/),
  row('size(createAccessAndRefreshToken(me))', /^[13]$/),
  // Keywords.
  row('this.name', 'self'),
  row('me.name', 'admin'),
  row('now', /^\d{4}-\d\d-\d\dT/),
  row('locale', /^[a-z]{2}(?:_[A-Z]{2})?$/),
  row('request.name', 'given'),
  row('empty(session)', 'true', '$.session.isNew'),
  row('depth', '-1'),
  row('empty(response)', 'false'),
  row('statusCode', '200'),
  row('baseUrl', /^http:\/\/127\.0\.0\.1:\d+$/),
  row('applicationRootPath', ''),
  row('host', '127.0.0.1'),
  row('port', /^\d+$/),
  row('ip', /127\.0\.0\.1$/),
  row('remoteAddress', /127\.0\.0\.1$/),
  row('pathInfo', /table$/),
  row('queryString', 'name=given'),
  row('empty(parameterMap)', 'false'),
  row('tenantIdentifier', ''),
  row(
    "(applicationStorePut('row', 'v'), applicationStore.row)",
    'v',
    "($.applicationStorePut('js', 'v'), $.applicationStore.js)",
  ),
  row("(requestStorePut('row', 'v'), requestStoreGet('row'))", 'v', "($.requestStore.row = 'v', $.vars.row)"),
  // Geometries.
  row("convertGeometry('EPSG:3857', 'EPSG:4326', coordsToPoint(merge(0, 0)))", 'POINT (0 0)'),
  row("lineSegment('POINT (8 50)', 0, 111229)", /^LINESTRING \(8 50, 8 50\.99\d+\)$/),
  row("first(lineStringsToPolygons('MULTILINESTRING ((0 0, 4 0, 4 4), (4 4, 0 0))'))", /^POLYGON \(\(/),
  row("makePolygonValid('POLYGON ((0 0, 2 0, 2 2, 0 0))')", 'POLYGON ((0 0, 2 0, 2 2, 0 0))'),
  row("utmToLatLon('32U 500000 0').longitude", '9.0'),
  row("retrieve('source')", /source/, '$.methodParameters.source'),
];

/**
 * What needs a server of another kind, a client, or much besides, by the file in which it is tested. These name what they test, in
 * both languages where the file says so.
 */
export const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  'database-functions.test.ts': ['cypher', 'addLabels', 'removeLabels'],
  'fulltext.test.ts': ['searchFulltext', 'searchRelationshipsFulltext'],
  'other-databases.test.ts': ['jdbc', 'remoteCypher'],
  'mongodb.test.ts': ['bson', 'mongodb'],
  'http.test.ts': ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'POSTMultiPart', 'FETCH'],
  'mail.test.ts': [
    'sendPlaintextMail',
    'sendHtmlMail',
    'mailSend',
    'mailAddAttachment',
    'mailHasError',
    'mailGetError',
    'mailGetLastOutgoingMessage',
  ],
  'sessions.test.ts': ['login'],
  '../live/events.test.ts': ['sendEvent', 'broadcastEvent'],
  'system.test.ts': ['maintenance', 'geocode'],
  'functions/files.test.ts': ['getContent', 'setContent', 'appendContent', 'copyFileContents', 'createFolderPath'],
  '../media/image-functions.test.ts': ['getThumbnail', 'cropImage', 'convertImage', 'imageUrl'],
  'functions/archives.test.ts': ['createArchive', 'createZip', 'unarchive'],
  '../media/video-presets.test.ts': [
    'updateVideoInfo',
    'convertVideo',
    'cancelConversion',
    'grabFrame',
    'makePosterImage',
  ],
  'functions/server-files.test.ts': ['read', 'write', 'append', 'exec', 'execBinary'],
  'server-log.test.ts': ['serverlog', 'getAvailableServerlogs'],
  '../events/changelog.test.ts': ['changelog', 'userChangelog'],
  'functions/documents.test.ts': ['toExcel', 'fromExcel', 'barcode', 'pdfEncrypt', 'xpath'],
  'functions/geo-coverages.test.ts': ['getWcsData', 'getWcsHistogram'],
  'functions/geo-services.test.ts': ['getWfsData', 'readShapefile'],
  'functions/translation.test.ts': ['translate'],
  '../pages/modes/modes.test.ts': ['getSource'],
  '../pages/imports/markup.test.ts': [
    'importHtml',
    'insertHtml',
    'replaceDomChild',
    'removeDomChild',
    'importCss',
    'hasCssClass',
  ],
  '../pages/functions.test.ts': ['render', 'include', 'includeChild', 'setDetailsObject'],
  // Keywords of pages and methods.
  'keywords.test.ts': ['id', 'methodParameters', 'requestStore'],
};
