/** Positions, and geometries in WKT (docs/interface/script-runtime.md 8.12). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GeometryObject } from '../../../src/main/scripting/outside/geo/geometry.js';
import { textOf } from '../../../src/main/scripting/language/text.js';
import { isMap, type ScriptValue } from '../../../src/main/scripting/language/values.js';
import { longestTurn, paced } from '../../support/loop.js';
import { geoCalls, place } from './geo-support.js';

const { context, made, text, refused, misused } = geoCalls();

describe('UTM', () => {
  it.each([
    [53.85499997165232, 8.081674915658844, '32U 439596 5967780'],
    // Towers of Paris and Toronto, the opera of Sydney.
    [48.8582, 2.2945, '31U 448252 5411933'],
    [-33.857, 151.215, '56H 334873 6252266'],
    [43.642567, -79.387139, '17T 630084 4833439'],
    [0, 0, '31N 166021 0'],
    // Norway and Svalbard.
    [60.39, 5.32, /^32V 2972\d\d 6700\d\d\d$/],
    [78.22, 15.65, /^33X /],
    [84, 180, /^1X /],
    [-80, -180, /^1C /],
  ])('%d, %d is %s', async (latitude, longitude, expected) => {
    expect(await text('latLonToUtm', latitude, longitude)).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
  });

  it('is read again', async () => {
    const found = await made('utmToLatLon', '32U 439596 5967780');
    if (!isMap(found)) throw new Error('no map');
    expect(found.get('latitude')).toBeCloseTo(53.85499997, 6);
    expect(found.get('longitude')).toBeCloseTo(8.08167492, 6);
    expect(await made('utmToLatLon', ' 32 u 439596.0 5967780 ')).toEqual(found);
  });

  it('comes back to within its metre, everywhere', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -80, max: 84, noNaN: true }),
        fc.double({ min: -180, max: 180, noNaN: true }),
        async (latitude, longitude) => {
          const back = await made('utmToLatLon', await made('latLonToUtm', latitude, longitude));
          expect(await made('distance', back, place(latitude, longitude))).toBeLessThan(1);
        },
      ),
    );
  });

  it('is that of the coordinate system', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -79, max: 83, noNaN: true }),
        fc.double({ min: -180, max: 179, noNaN: true }),
        async (latitude, longitude) => {
          const [zone = '', ...metres] = (await text('latLonToUtm', latitude, longitude)).split(' ');
          const code = `EPSG:${zone.slice(-1) < 'N' ? '327' : '326'}${zone.slice(0, -1).padStart(2, '0')}`;
          const point = await made('coordsToPoint', [latitude, longitude]);
          const [[y, x] = []] = (await made(
            'getCoordinates',
            await made('convertGeometry', 'EPSG:4326', code, point),
          )) as number[][];
          expect(metres).toEqual([String(Math.round(x ?? 0)), String(Math.round(y ?? 0))]);
        },
      ),
    );
  });

  it('is refused where there is none', async () => {
    for (const args of [
      ['x', 8],
      [85, 8],
      [-81, 8],
      [50, 181],
      [NaN, 0],
    ])
      await misused('latLonToUtm', ...args);
    for (const one of [
      '',
      '32U',
      '61U 439596 5967780',
      '0U 1 1',
      '32I 439596 5967780',
      '32U 439596',
      '32U 1000001 1',
      '32U 500000 10000001',
    ]) {
      await misused('utmToLatLon', one);
    }
    expect(await made('latLonToUtm', null, 8)).toBeNull();
    expect(await made('utmToLatLon', null)).toBeNull();
  });
});

describe('the ellipsoid', () => {
  it('has distances and azimuths', async () => {
    // From Karney's test set and the paper of Vincenty: Flinders Peak to Buninyong on WGS84.
    const [peak, hill] = [place(-37.95103341666667, 144.42486788888888), place(-37.65282113888889, 143.92649552777777)];
    expect(await made('distance', peak, hill)).toBeCloseTo(54972.271, 2);
    expect(await made('azimuth', peak, hill)).toBeCloseTo(306.86815920333 - 360, 6);
    // A degree of the equator, and a quarter of a meridian.
    expect(await made('distance', [0n, 0n], [0n, 1n])).toBeCloseTo(111319.491, 2);
    expect(await made('distance', [0, 0], [90, 0])).toBeCloseTo(10001965.729, 2);
    expect(await made('distance', [50.1, 8.6], [50.1, 8.6])).toBe(0);
  });

  it('takes coordinates in many forms', async () => {
    const xy = new Map<string, ScriptValue>([
      ['x', 8],
      ['y', '50'],
    ]);
    const json = new Map<string, ScriptValue>([
      ['type', 'Point'],
      ['coordinates', [8n, 50n]],
    ]);
    const point = await made('coordsToPoint', [50, 8]);
    for (const one of [
      [50n, 8n],
      ['50', '8'],
      [50, 8, 120],
      place(50, 8),
      xy,
      json,
      point,
      'POINT (8 50)',
      'Point Z(8 50 3)',
    ]) {
      expect(await made('distance', one, [51, 8])).toBeCloseTo(111238.68, 1);
      expect(await text('coordsToPoint', one)).toBe('POINT (8 50)');
    }
  });

  it('has lines of a length', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -89, max: 89, noNaN: true }),
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: 1, max: 1e7, noNaN: true }),
        async (latitude, longitude, azimuth, length) => {
          const line = await made('lineSegment', [latitude, longitude], azimuth, length);
          const [from = null, to = null] = (await made('getCoordinates', line)) as ScriptValue[];
          expect(await made('distance', from, to)).toBeCloseTo(length, 3);
        },
      ),
    );
  });

  it('is not where coordinates are none', async () => {
    for (const one of ['', 'LINESTRING (0 0, 1 1)', 'POINT EMPTY'].slice(1)) await misused('distance', one, [0, 0]);
    for (const one of [[], [1], [91, 0], ['a', 'b'], [NaN, 1], new Map(), 5n, true, [[1, 2]]]) {
      await misused('distance', one, [0, 0]);
      await misused('azimuth', [0, 0], one);
      await misused('lineSegment', one, 0, 1);
    }
    await misused('lineSegment', [0, 0], 'x', 1);
    await misused('lineSegment', [0, 0], 0, Infinity);
    expect(await made('distance', null, [0, 0])).toBeNull();
    expect(await made('lineSegment', [0, 0], null, 1)).toBeNull();
  });
});

describe('WKT', () => {
  it.each([
    ['POINT(1 2)', 'POINT (1 2)'],
    ['SRID=4326; point zm (1 2 3 4)', 'POINT (1 2)'],
    ['POINTZ(1 2 3)', 'POINT (1 2)'],
    ['POINT EMPTY', 'POINT EMPTY'],
    ['LinearRing (0 0, 1 0, 1 1, 0 0)', 'LINESTRING (0 0, 1 0, 1 1, 0 0)'],
    ['MULTIPOINT (1 2, 3 4)', 'MULTIPOINT ((1 2), (3 4))'],
    ['POLYGON ((0 0,9 0,9 9,0 0),(1 1,2 1,2 2,1 1))', 'POLYGON ((0 0, 9 0, 9 9, 0 0), (1 1, 2 1, 2 2, 1 1))'],
    ['MULTIPOLYGON EMPTY', 'MULTIPOLYGON EMPTY'],
    [
      'GEOMETRYCOLLECTION(POINT(1e-9 -.5),LINESTRING EMPTY)',
      'GEOMETRYCOLLECTION (POINT (0.000000001 -0.5), LINESTRING EMPTY)',
    ],
  ])('%s is %s', async (wkt, expected) => {
    expect(await text('wktToGeometry', wkt)).toBe(expected);
  });

  const position = fc.tuple(
    fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((one) => one + 0),
    fc.double({ min: -1e-9, max: 1e9, noNaN: true }).map((one) => one + 0),
  );
  const ring = fc.array(position, { maxLength: 6 });
  const simple = fc.oneof(
    fc.record({ type: fc.constant('Point'), coordinates: position }),
    fc.record({ type: fc.constantFrom('MultiPoint', 'LineString'), coordinates: ring }),
    fc.record({ type: fc.constantFrom('MultiLineString', 'Polygon'), coordinates: fc.array(ring, { maxLength: 3 }) }),
    fc.record({
      type: fc.constant('MultiPolygon'),
      coordinates: fc.array(fc.array(ring, { maxLength: 3 }), { maxLength: 3 }),
    }),
  );
  const geometry = fc.oneof(
    simple,
    fc.record({ type: fc.constant('GeometryCollection'), geometries: fc.array(simple, { maxLength: 3 }) }),
  );

  it('keeps any geometry', async () => {
    await fc.assert(
      fc.asyncProperty(geometry, async (given) => {
        const object = new GeometryObject(given);
        const back = await made('wktToGeometry', textOf(object, context()));
        expect(back instanceof GeometryObject && back.geometry).toEqual(given);
        // As GeoJSON, too.
        const json = await made('wktToGeometry', object.asValue.json());
        expect(json instanceof GeometryObject && json.geometry).toEqual(given);
      }),
    );
  });

  it('is refused with the place that is wrong', async () => {
    for (const wkt of [
      '',
      'x',
      'POINT',
      'POINT (1)',
      'POINT (1 2',
      'POINT (1 2) x',
      'POINT (a b)',
      'POINT (1 2, 3 4)',
      'POINT 1 2',
      'CIRCLE (1 2)',
      'POINT (1e999 2)',
      'POLYGON (0 0, 1 1)',
      'POINT (1 2 3 4 5)',
      'POINT (1 2)\u0000',
      '((((',
    ]) {
      expect(await refused('wktToGeometry', wkt), wkt).toMatch(/cannot read this WKT at character \d+/);
    }
    for (const one of [5n, [1], new Map(), new Map([['type', 'Point']])]) await misused('wktToGeometry', one);
    expect(await made('wktToGeometry', null)).toBeNull();
  });

  it('has limits', async () => {
    expect(await refused('wktToGeometry', `LINESTRING (${Array(60_000).fill('1 1').join()})`)).toMatch(/at most 50000/);
    expect(await refused('wktToGeometry', `POINT (${' '.repeat(5_000_000)}`)).toMatch(/characters/);
    await refused('wktToGeometry', 'GEOMETRYCOLLECTION ('.repeat(10_000));
    await refused('wktToGeometry', `MULTIPOLYGON (${Array(60_000).fill('EMPTY').join()})`);
    let deep = new Map<string, ScriptValue>([['type', 'GeometryCollection']]);
    deep.set('geometries', [deep]);
    await misused('wktToGeometry', deep);
    deep = new Map<string, ScriptValue>([
      ['type', 'LineString'],
      ['coordinates', Array<ScriptValue>(60_000).fill([1, 1])],
    ]);
    expect(await refused('wktToGeometry', deep)).toMatch(/at most 50000/);
  });

  it('holds nobody up', async () => {
    const wkt = `LINESTRING (${Array.from({ length: 49_000 }, (_, i) => `${String(8 + i / 1e6)} ${String(50 + i / 1e7)}`).join()})`;
    expect(
      await longestTurn(async () => {
        await made('wktToGeometry', wkt);
      }),
    ).toBeLessThan(paced(300));
    expect(
      await longestTurn(async () => {
        await made('convertGeometry', 'EPSG:4326', 'EPSG:25832', wkt);
      }),
    ).toBeLessThan(paced(300));
  });

  it('has polygons in it', async () => {
    const wkt =
      'GEOMETRYCOLLECTION (MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5))), POINT (1 1), POLYGON ((0 0, 2 0, 2 2, 0 0)))';
    expect(await text('wktToPolygons', wkt)).toBe(
      '[POLYGON ((0 0, 1 0, 1 1, 0 0)), POLYGON ((5 5, 6 5, 6 6, 5 5)), POLYGON ((0 0, 2 0, 2 2, 0 0))]',
    );
    expect(await made('wktToPolygons', 'POINT (1 1)')).toEqual([]);
  });
});
