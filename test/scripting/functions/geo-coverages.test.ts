/** Coverages of other servers (docs/interface/script-runtime.md 8.12), by methods over REST in both languages. */
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../../support/server.js';
import { Calls, NULL } from '../calls.js';
import { TargetServer } from '../target-server.js';

const NOTHING = -9999.9;
/** Four cells from west to east, three from north to south. */
const VALUES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, NOTHING, 12];
const BOX = '8,50,8.4,50.3';

let server: TestServer;
let target: TargetServer;
let calls: Calls;

type Entry = readonly [tag: number, type: number, values: readonly number[] | string];
const SHORT = 3;
const LONG = 4;
const DOUBLE = 12;

interface Form {
  /** Of a value. */
  readonly bits?: 8 | 16 | 32 | 64;
  /** 1: integers, 2: those with a sign, 3: floats. */
  readonly format?: 1 | 2 | 3;
  readonly isPacked?: boolean;
  readonly nothing?: string;
  /** Instead of the entries that there are, or besides. */
  readonly entries?: readonly Entry[];
  /** Instead of the values. */
  readonly bytes?: Buffer;
}

/** A GeoTIFF with one strip, as services write it. */
function geoTiff(values: readonly number[], width: number, form: Form = {}): Buffer {
  const { bits = 32, format = 3, isPacked = false, nothing = String(NOTHING), entries = [] } = form;
  const plain = Buffer.alloc((values.length * bits) / 8);
  values.forEach((value, i) => {
    if (bits === 64) plain.writeDoubleLE(value, 8 * i);
    else if (bits === 32) plain.writeFloatLE(value, 4 * i);
    else if (bits === 16) plain.writeInt16LE(value, 2 * i);
    else plain.writeUInt8(value, i);
  });
  const data = form.bytes ?? (isPacked ? deflateSync(plain) : plain);
  const height = values.length / width;
  const all = new Map<number, Entry>();
  const usual: Entry[] = [
    ...([
      [256, LONG, [width]],
      [257, LONG, [height]],
      [258, SHORT, [bits]],
      [259, SHORT, [isPacked ? 8 : 1]],
    ] as Entry[]),
    ...([
      [262, SHORT, [1]],
      [273, LONG, [8]],
      [277, SHORT, [1]],
      [278, LONG, [height]],
    ] as Entry[]),
    ...([
      [279, LONG, [data.length]],
      [339, SHORT, [format]],
      [33550, DOUBLE, [0.1, 0.1, 0]],
    ] as Entry[]),
    ...([
      [33922, DOUBLE, [0, 0, 0, 8, 50.3, 0]],
      [42113, 2, `${nothing}\0`],
    ] as Entry[]),
  ];
  for (const entry of [...usual, ...entries]) all.set(entry[0], entry);
  const sorted = [...all.values()].sort((a, b) => a[0] - b[0]);
  const directory = Buffer.alloc(2 + 12 * sorted.length + 4);
  directory.writeUInt16LE(sorted.length);
  const behind: Buffer[] = [];
  let end = 8 + data.length + directory.length;
  for (const [i, [tag, type, what]] of sorted.entries()) {
    const size = type === DOUBLE ? 8 : type === LONG ? 4 : 2;
    const bytes = typeof what === 'string' ? Buffer.from(what) : Buffer.alloc(size * what.length);
    if (typeof what !== 'string') {
      for (const [k, value] of what.entries()) {
        if (type === DOUBLE) bytes.writeDoubleLE(value, 8 * k);
        else bytes.writeUIntLE(value, size * k, size);
      }
    }
    const at = 2 + 12 * i;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(type, at + 2);
    directory.writeUInt32LE(what.length, at + 4);
    if (bytes.length <= 4) bytes.copy(directory, at + 8);
    else {
      directory.writeUInt32LE(end, at + 8);
      behind.push(bytes);
      end += bytes.length;
    }
  }
  const head = Buffer.from('II*\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(8 + data.length, 4);
  return Buffer.concat([head, data, directory, ...behind]);
}

const described = (axes: string): string => `<?xml version="1.0"?>
<wcs:CoverageDescriptions xmlns:wcs="http://www.opengis.net/wcs/2.0" xmlns:gml="http://www.opengis.net/gml/3.2">
  <wcs:CoverageDescription gml:id="dem"><gml:boundedBy>
    <gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/4326" axisLabels="${axes}" srsDimension="2">
      <gml:lowerCorner>50 8</gml:lowerCorner><gml:upperCorner>50.3 8.4</gml:upperCorner>
    </gml:Envelope></gml:boundedBy></wcs:CoverageDescription></wcs:CoverageDescriptions>`;
const EXCEPTION =
  '<ows:ExceptionReport xmlns:ows="o"><ows:Exception exceptionCode="NoSuchCoverage"><ows:ExceptionText>no such coverage</ows:ExceptionText></ows:Exception></ows:ExceptionReport>';

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'application.httphelper.urlwhitelist': '*' } });
  target = await TargetServer.start();
  const service = (path: string, axes: string, coverage: string | Buffer, status = 200): void => {
    target.routes.set(path, (request, response) => {
      const isDescription = request.url?.includes('DescribeCoverage') === true;
      response.writeHead(isDescription ? 200 : status).end(isDescription ? described(axes) : coverage);
    });
  };
  service('/wcs', 'Lat Long', geoTiff(VALUES, 4));
  service('/east', 'E N', geoTiff([5, 5], 2));
  service('/empty', 'x y', geoTiff([NOTHING, NaN], 2));
  service('/refuses', 'x y', EXCEPTION, 404);
  service('/down', 'x y', 'sorry', 503);
  service('/page', 'x y', '<html><body/></html>');
  service('/words', 'x y', 'hello');
  service('/broken', 'x y', geoTiff(VALUES, 4).subarray(0, 60));
  service('/hostile', 'x y', geoTiff([1, 2], 2, { entries: [[256, LONG, [2 ** 31]]] }));
  service('/bomb', 'x y', geoTiff([1, 2], 2, { isPacked: true, bytes: deflateSync(Buffer.alloc(1 << 24)) }));
  service('/lzw', 'x y', geoTiff([1, 2], 2, { entries: [[259, SHORT, [5]]] }));
  service('/nowhere', 'x y', geoTiff([1, 2], 2, { entries: [[33922, DOUBLE, [0]]] }));
  service('/tags', 'x y', geoTiff([1, 2], 2, { entries: [[40_000, 1, ' '.repeat(2_100_000)]] }));
  service('/camera', 'x y', geoTiff([1, 2], 2, { entries: [[0x8769, LONG, [8]]] }));
  service('/texts', 'x y', geoTiff([1, 2], 2, { entries: [[273, 2, ' 8\0 8\0']] }));
  service(
    '/bands',
    'x y',
    geoTiff([1, 2], 1, {
      entries: [
        [277, SHORT, [2]],
        [284, SHORT, [2]],
      ],
    }),
  );
  service('/white', 'x y', geoTiff([1, 2], 2, { entries: [[262, SHORT, [0]]] }));
  service('/predicted', 'x y', geoTiff([1, 2], 2, { entries: [[317, SHORT, [2]]] }));
  service('/halves', 'x y', geoTiff([1, 2], 2, { bits: 16 }));
  service('/time', 'ansi Lat Long', geoTiff([5, 5], 2));
  service('/times', 'ansi i j', geoTiff([5, 5], 2));
  service('/other', 'Lat other', geoTiff([5, 5], 2));
  service(
    '/point',
    'x y',
    geoTiff([5, 6], 2, { entries: [[34735, SHORT, [1, 1, 0, 2, 1024, 0, 1, 2, 1025, 0, 1, 2]]] }),
  );
  service('/beyond', 'x y', geoTiff([1, 2], 2, { entries: [[273, LONG, [2 ** 31]]] }));
  service(
    '/tiles',
    'x y',
    geoTiff([1, 2], 2, {
      entries: [
        [322, LONG, [2 ** 31]],
        [323, LONG, [2 ** 31]],
        [324, LONG, [8]],
        [325, LONG, [8]],
      ],
    }),
  );
  service('/axes', 'x) y', geoTiff(VALUES, 4));
  target.routes.set('/none', (_, response) => response.writeHead(404).end(EXCEPTION));
  calls = await Calls.on(server, {
    exData: "getWcsData(retrieve('url'), 'dem', retrieve('box'), 9, null)",
    exBox: "getWcsData(retrieve('url'), 'dem', retrieve('box'), null, null)",
    exGeometry: "getWcsData(retrieve('url'), 'dem', wktToGeometry(retrieve('box')), null, null)",
    exHistogram: "getWcsHistogram(retrieve('url'), 'dem', retrieve('box'), 2)",
  });
});
afterAll(async () => {
  await target.stop();
  await server.stop();
});

describe('getWcsData', () => {
  it('answers cells whose values are between two numbers, from north to south', async () => {
    const cells = await calls.js(['getWcsData', target.url('/wcs?map=x'), 'dem', BOX, 4, 5]);
    expect(cells).toEqual([
      { x: expect.closeTo(8.35), y: expect.closeTo(50.25), value: 4 },
      { x: expect.closeTo(8.05), y: expect.closeTo(50.15), value: 5 },
    ]);
    const asked = target.seen.slice(-2).map(({ path }) => new URL(path, 'http://x').searchParams);
    expect(asked.map((one) => one.get('request'))).toEqual(['DescribeCoverage', 'GetCoverage']);
    for (const one of asked) {
      expect(Object.fromEntries(one)).toMatchObject({ map: 'x', service: 'WCS', version: '2.0.1', coverageId: 'dem' });
    }
    expect(asked[1]?.getAll('subset')).toEqual(['Long(8,8.4)', 'Lat(50,50.3)']);
    expect(asked[1]?.get('format')).toBe('image/tiff');
  });

  it('leaves out cells without a value; null is no bound; also as an expression', async () => {
    const found = (await calls.ex('exData', { url: target.url('/wcs'), box: BOX })) as { value: number }[];
    expect(found.map(({ value }) => value)).toEqual([9, 10, 12]);
    expect(await calls.js(['getWcsData', target.url('/wcs'), 'dem', BOX, NULL, NULL])).toHaveLength(11);
    expect(await calls.js(['getWcsData', target.url('/empty'), 'dem', BOX, NULL, NULL])).toEqual([]);
  });

  it.each<[string, readonly number[], Form]>([
    ['bytes', [0, 7, 255], { bits: 8, format: 1, nothing: '0' }],
    ['integers with a sign', [-32768, -7, 32767], { bits: 16, format: 2, nothing: '-32768' }],
    ['integers without', [1, 2, 3], { bits: 16, format: 1 }],
    ['short floats', [-3.4028234663852886e38, 1.5, -2.5], { nothing: '-3.40282346638529e+38' }],
    ['long floats', [1.1, NaN, -1e300], { bits: 64 }],
    ['packed floats', [1.5, NOTHING, 2.5], { isPacked: true }],
  ])('reads %s', async (what, values, form) => {
    const path = `/${what.replaceAll(' ', '-')}`;
    target.routes.set(path, (request, response) =>
      response.end(request.url?.includes('DescribeCoverage') === true ? described('x y') : geoTiff(values, 3, form)),
    );
    const found = (await calls.js(['getWcsData', target.url(path), 'dem', BOX, NULL, NULL])) as { value: number }[];
    const nothing = Number(form.nothing ?? NOTHING);
    expect(found.map(({ value }) => value)).toEqual(
      values.filter((one) => !Number.isNaN(one) && Math.fround(one) !== Math.fround(nothing)),
    );
  });

  it.each([
    ['a list', 'exBox', [1, 2, 3, 4]],
    ['a text', 'exBox', ' 1, 2,3,4 '],
    ['WKT', 'exBox', 'LINESTRING (1 4, 3 2)'],
    ['a geometry', 'exGeometry', 'MULTIPOINT (3 4, 1 2)'],
  ])('takes a box as %s', async (_, method, box) => {
    await calls.ex(method, { url: target.url('/east'), box });
    expect(new URL(target.last.path, 'http://x').searchParams.getAll('subset')).toEqual(['E(1,3)', 'N(2,4)']);
  });

  it.each<[string, unknown]>([
    ['the greater number first', '3,2,1,4'],
    ['three numbers', '1,2,3'],
    ['what is no number', '1,2,3,east'],
    ['infinite numbers', '-Infinity,0,1,1'],
    ['no WKT', 'CIRCLE (1 2)'],
    ['nothing', NULL],
    ['an empty geometry', 'POINT EMPTY'],
  ])('refuses a box of %s', async (_, box) => {
    const before = target.seen.length;
    expect(await calls.refused(['getWcsData', target.url('/wcs'), 'dem', box, 1, 2])).toMatch(
      /getWcsData\(\).*(box|WKT)/,
    );
    expect(target.seen).toHaveLength(before);
  });

  it.each([
    ['/refuses', /says "no such coverage"/],
    ['/none', /says "no such coverage"/],
    ['/down', /status 503/],
    ['/page', /html and status 200/],
    ['/words', /no GeoTIFF/],
    ['/broken', /got no coverage/],
    ['/hostile', /more than 8000000 of them/],
    ['/bomb', /got no coverage/],
    ['/lzw', /compression \(5\) is not read/],
    ['/nowhere', /where its cells are/],
    ['/tags', /tags have too many values/],
    ['/camera', /other directories/],
    ['/texts', /not those that it needs/],
    ['/bands', /form of TIFF is not read/],
    ['/white', /form of TIFF is not read/],
    ['/predicted', /form of TIFF is not read/],
    ['/halves', /values of 16 bits/],
    ['/times', /does not describe the axes/],
    ['/beyond', /incomplete/],
    ['/tiles', /parts are too large/],
    ['/axes', /does not describe the axes/],
  ])('ends the script where %s answers otherwise', async (path, message) => {
    expect(await calls.refused(['getWcsData', target.url(path), 'dem', BOX, 1, 2])).toMatch(message);
  });

  it('leaves out cells beyond the box, whatever the service answers', async () => {
    const cells = (await calls.js([
      'getWcsData',
      target.url('/wcs'),
      'dem',
      '8.12,50.22,8.18,50.28',
      NULL,
      NULL,
    ])) as object[];
    expect(cells).toMatchObject([{ value: 2 }]);
    expect(await calls.js(['getWcsData', target.url('/wcs'), 'dem', '9,50,10,51', NULL, NULL])).toEqual([]);
    expect(await calls.js(['getWcsHistogram', target.url('/wcs'), 'dem', '9,50,10,51'])).toEqual([]);
  });

  it('knows where cells are whose positions are those of their centres', async () => {
    expect(await calls.js(['getWcsData', target.url('/point'), 'dem', BOX, NULL, NULL])).toEqual([
      { x: 8, y: 50.3, value: 5 },
      { x: 8.1, y: 50.3, value: 6 },
    ]);
  });

  it.each([
    ['/time', ['Long(8,8.4)', 'Lat(50,50.3)']],
    ['/other', ['other(8,8.4)', 'Lat(50,50.3)']],
  ])('finds the axes of %s', async (path, subset) => {
    await calls.js(['getWcsData', target.url(path), 'dem', BOX, NULL, NULL]);
    expect(new URL(target.last.path, 'http://x').searchParams.getAll('subset')).toEqual(subset);
  });

  it('refuses more than 100,000 cells', async () => {
    const path = '/many';
    const tiff = geoTiff(
      Array.from({ length: 100_001 }, (_, i) => i),
      100_001,
    );
    target.routes.set(path, (request, response) =>
      response.end(request.url?.includes('DescribeCoverage') === true ? described('x y') : tiff),
    );
    const wide = '8,50,20000,51';
    expect(await calls.refused(['getWcsData', target.url(path), 'dem', wide, NULL, NULL])).toMatch(
      /more than 100000 cells/,
    );
    expect(await calls.js(['getWcsData', target.url(path), 'dem', wide, 100_000, NULL])).toMatchObject([
      { value: 100_000 },
    ]);
  });

  it('says how it is used', async () => {
    expect(await calls.js(['getWcsData', target.url('/wcs'), 'dem', BOX, 'low', 2])).toMatch(/getWcsData\(/);
    expect(await calls.js(['getWcsHistogram', target.url('/wcs'), 'dem', BOX, 0])).toMatch(/getWcsHistogram\(/);
    expect(await calls.js(['getWcsHistogram', target.url('/wcs'), 'dem', BOX, 20_000])).toMatch(/getWcsHistogram\(/);
  });
});

describe('getWcsHistogram', () => {
  it('counts values, from the least to the greatest', async () => {
    expect(await calls.ex('exHistogram', { url: target.url('/wcs'), box: BOX })).toEqual([
      { from: 1, to: 6.5, count: 6 },
      { from: 6.5, to: 12, count: 5 },
    ]);
    const ten = (await calls.js(['getWcsHistogram', target.url('/wcs'), 'dem', BOX])) as { count: number }[];
    expect(ten).toHaveLength(10);
    expect(ten.reduce((sum, { count }) => sum + count, 0)).toBe(11);
  });

  it('begins at the lowest number that counts', async () => {
    expect(await calls.js(['getWcsHistogram', target.url('/wcs'), 'dem', BOX, 2, 8])).toEqual([
      { from: 8, to: 10, count: 2 },
      { from: 10, to: 12, count: 2 },
    ]);
    expect(await calls.js(['getWcsHistogram', target.url('/wcs'), 'dem', BOX, 2, 13])).toEqual([]);
  });

  it('has one entry when all values are the same, and none without values', async () => {
    expect(await calls.js(['getWcsHistogram', target.url('/east'), 'dem', BOX, 5])).toEqual([
      { from: 5, to: 5, count: 2 },
    ]);
    expect(await calls.js(['getWcsHistogram', target.url('/empty'), 'dem', BOX, 5])).toEqual([]);
  });
});
