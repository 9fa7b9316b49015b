/** Geometries of coordinates, their forms, and what is made of them (docs/interface/script-runtime.md 8.12). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJsonValue } from '../../../src/main/scripting/language/conversion.js';
import { GeometryObject } from '../../../src/main/scripting/outside/geo/geometry.js';
import { textOf } from '../../../src/main/scripting/language/text.js';
import type { ScriptValue } from '../../../src/main/scripting/language/values.js';
import { geoCalls, numbersIn, place } from './geo-support.js';

const { context, made, text, refused, misused } = geoCalls();

describe('geometries', () => {
  it('are made of coordinates', async () => {
    const list = [[50n, 8n], place(50, 9), 'POINT (9 51)'];
    expect(await text('coordsToMultipoint', list)).toBe('MULTIPOINT ((8 50), (9 50), (9 51))');
    expect(await text('coordsToMultipoint', [50, 8])).toBe('MULTIPOINT ((8 50))');
    expect(await text('coordsToLineString', list)).toBe('LINESTRING (8 50, 9 50, 9 51)');
    expect(await text('coordsToPolygon', list)).toBe('POLYGON ((8 50, 9 50, 9 51, 8 50))');
    expect(await text('coordsToPolygon', [...list, [50, 8]])).toBe('POLYGON ((8 50, 9 50, 9 51, 8 50))');
    expect(await made('getCoordinates', await made('coordsToPolygon', list))).toEqual([
      [50, 8],
      [50, 9],
      [51, 9],
      [50, 8],
    ]);
    for (const one of [[], [[1, 2]], [[1, 2], [3]], 'x'.slice(1) + 'POINT EMPTY', 5n, [null, null]]) {
      await misused('coordsToLineString', one);
      await misused('coordsToPolygon', one);
    }
    await misused('coordsToPoint', list);
    await misused('coordsToPolygon', [
      [1, 2],
      [3, 4],
    ]);
    expect(await made('coordsToPoint', null)).toBeNull();
    expect(await refused('coordsToLineString', Array<ScriptValue>(60_000).fill([1, 2]))).toMatch(/at most 50000/);
  });

  it('are text, JSON and what scripts read', async () => {
    const point = await made('wktToGeometry', 'POINT (8.6 50)');
    expect(point).toBeInstanceOf(GeometryObject);
    const { keys, get } = point as GeometryObject;
    expect(keys.call(point as GeometryObject)).toEqual(['type', 'coordinates']);
    const read = (key: string): ScriptValue => get.call(point as GeometryObject, key);
    expect([read('type'), read('coordinates'), read('wkt'), read('x')]).toEqual([
      'Point',
      [8.6, 50],
      'POINT (8.6 50)',
      null,
    ]);
    expect(JSON.parse(await text('toJson', [point]))).toEqual([{ type: 'Point', coordinates: [8.6, 50] }]);
    expect(toJsonValue([point])).toEqual(['POINT (8.6 50)']);
    await made('applicationStorePut', 'point', point);
    expect(await text('applicationStoreGet', 'point')).toBe('POINT (8.6 50)');
    const long = await made('coordsToLineString', Array<ScriptValue>(50_000).fill([1, 2]));
    expect(() => toJsonValue(Array<ScriptValue>(100).fill(long))).toThrow('too many parts');
    expect(await text('wktToGeometry', 'POINT (1e300 -1e-300)')).toBe('POINT (1e+300 -1e-300)');
    expect(await text('wktToGeometry', await text('wktToGeometry', 'POINT (1e-7 1e20)'))).toBe(
      'POINT (0.0000001 100000000000000000000)',
    );
    expect(await refused('upper', Array<ScriptValue>(100).fill(long))).toMatch(/too large/);
  });

  it('are converted between systems', async () => {
    const converted = async (from: string, to: string, wkt: string): Promise<number[]> =>
      numbersIn(await text('convertGeometry', from, to, wkt));
    // The formula of the projection.
    const [x = 0, y = 0] = await converted('EPSG:4326', 'EPSG:3857', 'POINT (8.6 50.1)');
    expect([x, y]).toEqual([
      expect.closeTo((6378137 * 8.6 * Math.PI) / 180, 3),
      expect.closeTo(6378137 * Math.log(Math.tan(Math.PI / 4 + (50.1 * Math.PI) / 360)), 3),
    ]);
    const utm = await converted('EPSG:4326', 'EPSG:25832', 'POINT (8.081674915658844 53.85499997165232)');
    expect(utm).toEqual([expect.closeTo(439596, 2), expect.closeTo(5967780, 2)]);
    expect(await converted('urn:ogc:def:crs:EPSG::25832', 'CRS84', `POINT (${utm.join(' ')})`)).toEqual([
      expect.closeTo(8.081674915658844, 8),
      expect.closeTo(53.85499997165232, 8),
    ]);
    expect(await converted('4326', 'EPSG:32756', 'POINT (151.215 -33.857)')).toEqual([
      expect.closeTo(334873, -1),
      expect.closeTo(6252266, -1),
    ]);
    // A point of the Potsdam datum is some 100 metres from where its numbers are in WGS84.
    const [east = 0] = await converted('EPSG:31467', 'EPSG:32632', 'POINT (3500000 5500000)');
    expect(Math.abs(east - 499_900)).toBeLessThan(100);
    const wkt =
      'PROJCS["UTM 32N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],' +
      'UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",9],' +
      'PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]]';
    for (const system of [wkt, '+proj=utm +zone=32 +datum=WGS84']) {
      expect(await converted('EPSG:4326', system, 'POINT (8.081674915658844 53.85499997165232)')).toEqual([
        expect.closeTo(439596, 2),
        expect.closeTo(5967780, 2),
      ]);
    }
    const all =
      'GEOMETRYCOLLECTION (POINT EMPTY, POINT (0 0), MULTIPOINT ((0 0)), POLYGON ((0 0, 0 0)), MULTIPOLYGON (((0 0))))';
    expect(await text('convertGeometry', 'EPSG:4326', 'EPSG:4326', all)).toBe(all);
  });

  it('are not converted from or to what nobody knows', async () => {
    for (const system of [
      'EPSG:1',
      'EPSG:99999',
      'x',
      '',
      '__proto__',
      'WGS84x',
      '+proj=nothing',
      'PROJCS["x"]',
      'PROJCS[',
    ]) {
      expect(await refused('convertGeometry', 'EPSG:4326', system, 'POINT (1 1)'), system).toMatch(
        /unknown|cannot make this/,
      );
      await refused('convertGeometry', system, 'EPSG:4326', 'POINT (1 1)');
    }
    expect(await refused('convertGeometry', 'EPSG:4326', 'EPSG:25832', 'POINT (1000 1e9)')).toMatch(/has no place/);
    await misused('convertGeometry', 'EPSG:4326', 'EPSG:3857', 5n);
    expect(await made('convertGeometry', 'EPSG:4326', 'EPSG:3857', null)).toBeNull();
  });

  it('are made valid', async () => {
    const bow = await text('makePolygonValid', 'POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))');
    expect(bow).toMatch(/^MULTIPOLYGON/);
    expect(numbersIn(bow)).toHaveLength(16);
    const fine = 'POLYGON ((0 0, 9 0, 9 9, 0 0), (2 1, 3 1, 3 2, 2 1))';
    expect(await text('makePolygonValid', fine)).toBe(fine);
    // A hole that leads out of its polygon, polygons that overlap, and a line.
    expect(await text('makePolygonValid', 'POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (2 1, 6 1, 6 2, 2 2, 2 1))')).toMatch(
      /POLYGON/,
    );
    expect(
      await text('makePolygonValid', 'MULTIPOLYGON (((0 0, 2 0, 2 2, 0 2, 0 0)), ((1 0, 3 0, 3 2, 1 2, 1 0)))'),
    ).toMatch(/^POLYGON/);
    expect(await text('makePolygonValid', 'POLYGON ((0 0, 1 1, 0 0))')).toBe('POLYGON EMPTY');
    expect(await text('makePolygonValid', 'POLYGON EMPTY')).toBe('POLYGON EMPTY');
    await misused('makePolygonValid', 'POINT (1 1)');
    expect(await made('makePolygonValid', null)).toBeNull();
  });

  it('are valid once they are made so', async () => {
    const ring = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 })), {
      minLength: 3,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(ring, { minLength: 1, maxLength: 3 }), async (rings) => {
        const coordinates = rings.map((one) => [...one, ...one.slice(0, 1)]);
        const given = new GeometryObject({ type: 'Polygon', coordinates });
        const once = await made('makePolygonValid', given);
        expect(textOf(await made('makePolygonValid', once), context())).toBe(textOf(once, context()));
      }),
    );
  });

  it('are made of lines', async () => {
    const lines = ['LINESTRING (0 0, 4 0, 4 4)', 'MULTILINESTRING ((4 4, 0 4, 0 0))', 'LINESTRING (2 -1, 2 5)'];
    const found = (await made('lineStringsToPolygons', lines)) as ScriptValue[];
    expect(found.map((one) => textOf(one, context()).slice(0, 9))).toEqual(['POLYGON (', 'POLYGON (']);
    expect(await made('lineStringsToPolygons', ['LINESTRING (0 0, 4 0, 4 4)'])).toEqual([]);
    expect(await made('lineStringsToPolygons', [])).toEqual([]);
    await misused('lineStringsToPolygons', ['POINT (1 1)']);
    await misused('lineStringsToPolygons', 5n);
    const long = await made('coordsToLineString', Array<ScriptValue>(40_000).fill([1, 2]));
    expect(await refused('lineStringsToPolygons', [long, long])).toMatch(/at most 50000/);
  });
});
