/** Geometries of files and of other servers (docs/interface/script-runtime.md 8.12), by methods over REST in both languages. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../../support/server.js';
import { Calls } from '../calls.js';
import { TargetServer } from '../target-server.js';
import { dbfBytes, shpBytes } from './shapefile-bytes.js';

let server: TestServer;
let target: TargetServer;
let calls: Calls;

const JSON_FEATURES = {
  type: 'FeatureCollection',
  totalFeatures: 2,
  features: [
    {
      type: 'Feature',
      id: 'rivers.1',
      geometry: {
        type: 'LineString',
        coordinates: [
          [8.6, 50.1],
          [8.7, 50.2],
        ],
      },
      properties: { name: 'Main', length: 527, bridges: [1, 2] },
    },
    { type: 'Feature', id: 'rivers.2', geometry: null, properties: { name: 'Nidda', length: 89.7 } },
  ],
};
const GML3 = `<?xml version="1.0" encoding="UTF-8"?>
<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:app="urn:app">
  <wfs:member><app:place gml:id="place.1">
    <gml:boundedBy><gml:Envelope><gml:lowerCorner>0 0</gml:lowerCorner></gml:Envelope></gml:boundedBy>
    <app:name>Frankfurt &amp; more</app:name><app:none xsi:nil="true"/>
    <app:at><gml:Point srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>50.1 8.6</gml:pos></gml:Point></app:at>
  </app:place></wfs:member>
  <wfs:member><app:place gml:id="place.2">
    <app:at><gml:MultiSurface srsName="EPSG:4326"><gml:surfaceMember><gml:Polygon>
      <gml:exterior><gml:LinearRing><gml:posList>0 0 9 0 9 9 0 0</gml:posList></gml:LinearRing></gml:exterior>
      <gml:interior><gml:LinearRing><gml:posList srsDimension="3">2 1 7 3 1 7 3 2 7 2 1 7</gml:posList></gml:LinearRing></gml:interior>
    </gml:Polygon></gml:surfaceMember></gml:MultiSurface></app:at>
  </app:place></wfs:member>
  <wfs:member><app:place gml:id="place.3">
    <app:at><gml:Curve><gml:segments><gml:LineStringSegment><gml:pos>1 2</gml:pos><gml:pos>3 4</gml:pos></gml:LineStringSegment></gml:segments></gml:Curve></app:at>
  </app:place></wfs:member>
</wfs:FeatureCollection>`;
const GML2 = `<wfs:FeatureCollection xmlns:wfs="w" xmlns:gml="g" xmlns:a="a"><gml:featureMember><a:road fid="r.1"><a:lanes>2</a:lanes>
  <a:way><gml:MultiLineString srsName="http://www.opengis.net/gml/srs/epsg.xml#4326"><gml:lineStringMember><gml:LineString>
  <gml:coordinates>8.6,50.1 8.7,50.2</gml:coordinates></gml:LineString></gml:lineStringMember></gml:MultiLineString></a:way>
  </a:road></gml:featureMember></wfs:FeatureCollection>`;
const GPX = `<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
  <wpt lat="50.1" lon="8.6"><ele>112.5</ele><time>2024-02-29T12:00:00Z</time><name>Römer</name><sym>Flag</sym></wpt>
  <rte><name>R</name><rtept lat="1" lon="2"/><rtept lat="3" lon="4"><desc>end</desc></rtept></rte>
  <trk><name>T</name><link href="https://example.com/t"><text>x</text></link><trkseg><trkpt lat="5" lon="6"><ele>7</ele></trkpt>
  <trkpt lat="5.5" lon="6.5"/></trkseg><trkseg/></trk></gpx>`;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'application.httphelper.urlwhitelist': '*' } });
  target = await TargetServer.start();
  const route = (path: string, type: string, body: string, status = 200): void => {
    target.routes.set(path, (_, response) => response.writeHead(status, { 'Content-Type': type }).end(body));
  };
  route('/wfs', 'application/json', JSON.stringify(JSON_FEATURES));
  route('/gml3', 'application/gml+xml; version=3.2', GML3);
  route('/gml2', 'text/xml; subtype=gml/2.1.2', GML2);
  route(
    '/refuses',
    'text/xml',
    '<ows:ExceptionReport xmlns:ows="o"><ows:Exception><ows:ExceptionText>no such\n type</ows:ExceptionText></ows:Exception></ows:ExceptionReport>',
    400,
  );
  route('/page', 'text/html', '<html><body>hello</body></html>');
  route('/words', 'text/plain', 'hello');
  route('/list', 'application/json', '[1, 2]');
  route('/down', 'text/plain', 'sorry', 503);
  calls = await Calls.on(server, {
    exWfs: "getWfsData(retrieve('url'), '2.0.0', 'ns:rivers', 'count=10')",
    exNames: "join(extract(extract(getWfsData(retrieve('url'), '2.0.0', 'ns:rivers'), 'properties'), 'name'), ',')",
    exGpx: "importGpx(retrieve('gpx'))",
    exShape: "readShapefile(retrieve('path'))",
    exText: "concat(first(extract(get(readShapefile(retrieve('path')), 'features'), 'geometry')))",
    jsGeometry: `{
      const point = $.coordsToPoint([50.1, 8.6]);
      const line = $.wktToGeometry('LINESTRING (1 2, 3 4)');
      return {
        text: String(point) + '|' + point + '|' + point.toString(), json: JSON.stringify(line), type: line.type, y: line.coordinates[1][1],
        wkt: line.wkt, keys: Object.keys(point), maps: $.getCoordinates({ type: 'Point', coordinates: [1, 2] }),
        itself: point, list: [line], far: Math.round($.distance({ latitude: 50, longitude: 8 }, point)),
      };
    }`,
  });
});
afterAll(async () => {
  await target.stop();
  await server.stop();
});

describe('geometries', () => {
  it('are objects in JavaScript, and GeoJSON in answers', async () => {
    const line = {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    };
    const { json, ...rest } = await calls.ex('jsGeometry', {});
    expect(JSON.parse(json)).toEqual(line);
    expect(rest).toEqual({
      text: 'POINT (8.6 50.1)|POINT (8.6 50.1)|POINT (8.6 50.1)',
      ...{ type: 'LineString', y: 4, wkt: 'LINESTRING (1 2, 3 4)', keys: ['type', 'coordinates'], maps: [[2, 1]] },
      itself: { type: 'Point', coordinates: [8.6, 50.1] },
      list: [line],
      far: 44_389,
    });
    expect(await calls.js(['wktToGeometry', 'POINT EMPTY'])).toEqual({ type: 'Point', coordinates: [] });
  });

  it('are stored as WKT', async () => {
    const { admin } = server;
    await admin.create('SchemaNode', { name: 'Spot', schemaProperties: [{ name: 'wkt', propertyType: 'String' }] });
    await admin.create('SchemaMethod', {
      name: 'exSpot',
      source: "get(create('Spot', 'wkt', coordsToPoint(merge(50.1, 8.6))), 'wkt')",
    });
    expect(await calls.ex('exSpot', {})).toBe('POINT (8.6 50.1)');
  });
});

describe('importGpx', () => {
  const expected = {
    waypoints: [
      {
        latitude: 50.1,
        longitude: 8.6,
        altitude: 112.5,
        time: expect.stringMatching(/^2024-02-29T/),
        name: 'Römer',
        symbol: 'Flag',
      },
    ],
    routes: [
      {
        name: 'R',
        waypoints: [
          { latitude: 1, longitude: 2 },
          { latitude: 3, longitude: 4, description: 'end' },
        ],
      },
    ],
    tracks: [
      {
        name: 'T',
        link: 'https://example.com/t',
        segments: [
          {
            waypoints: [
              { latitude: 5, longitude: 6, altitude: 7 },
              { latitude: 5.5, longitude: 6.5 },
            ],
          },
          { waypoints: [] },
        ],
      },
    ],
  };

  it('reads waypoints, routes and tracks', async () => {
    expect(await calls.js(['importGpx', GPX])).toEqual(expected);
    expect(await calls.ex('exGpx', { gpx: GPX })).toEqual(expected);
    expect(await calls.js(['importGpx', '<gpx/>'])).toEqual({ waypoints: [], routes: [], tracks: [] });
  });

  it('knows what is none', async () => {
    for (const text of [
      '',
      'x',
      '<gpx>',
      '<kml/>',
      '<!DOCTYPE g [<!ENTITY e SYSTEM "file:///etc/passwd">]><gpx><wpt>&e;</wpt></gpx>',
    ]) {
      // Null, in JavaScript.
      expect(await calls.js(['importGpx', text]), text).toBe('');
    }
    expect(await calls.refused(['importGpx', 'x'.repeat(5 * 1024 * 1024)])).toMatch(/too long/);
  });
});

describe('readShapefile', () => {
  const exchange = (name: string): string => join(server.folder, 'exchange', name);

  it('reads shapes, their values and their system of coordinates', async () => {
    await mkdir(exchange('maps'), { recursive: true });
    await writeFile(exchange('maps/towns.shp'), shpBytes([[8.5, 50], null, [9, 51]]));
    const columns = [
      ['NAME', 'C', 10],
      ['COUNT', 'N', 6],
      ['SINCE', 'D', 8],
    ] as const;
    const rows = [
      ['Köln', '42', '20240229'],
      ['', '', ''],
      ['b', '1.5', '19991231'],
    ];
    await writeFile(exchange('maps/towns.dbf'), dbfBytes(columns, rows, 'utf8'));
    await writeFile(exchange('maps/towns.cpg'), 'UTF-8\n');
    await writeFile(exchange('maps/towns.prj'), 'GEOGCS["GCS_WGS_1984"]\n');
    const found = await calls.ex('exShape', { path: 'maps/towns.shp' });
    expect(found.crs).toBe('GEOGCS["GCS_WGS_1984"]');
    expect(found.features).toEqual([
      {
        geometry: { type: 'Point', coordinates: [8.5, 50] },
        properties: { NAME: 'Köln', COUNT: 42, SINCE: expect.stringMatching(/^2024-02-2/) },
      },
      expect.objectContaining({ geometry: null }),
      expect.objectContaining({ geometry: { type: 'Point', coordinates: [9, 51] } }),
    ]);
    expect(await calls.js(['readShapefile', 'maps/towns'])).toEqual(found);
    expect(await calls.ex('exText', { path: '/maps/towns' })).toBe('POINT (8.5 50)');
  });

  it('reads shapes alone, in capitals too', async () => {
    await writeFile(
      exchange('AREA.SHP'),
      shpBytes([
        [
          [0, 0],
          [0, 9],
          [9, 9],
          [0, 0],
        ],
      ]),
    );
    await writeFile(exchange('AREA.DBF'), dbfBytes([['NAME', 'C', 10]], [['Köln']], 'latin1'));
    await writeFile(exchange('alone.shp'), shpBytes([[1, 2]]));
    const geometry = {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [0, 9],
          [9, 9],
          [0, 0],
        ],
      ],
    };
    expect(await calls.js(['readShapefile', 'AREA.SHP'])).toEqual({
      crs: null,
      features: [{ geometry, properties: { NAME: 'Köln' } }],
    });
    expect((await calls.js(['readShapefile', 'alone.shp'])).features).toEqual([
      { geometry: { type: 'Point', coordinates: [1, 2] }, properties: {} },
    ]);
  });

  it('reads nothing else', async () => {
    await writeFile(exchange('broken.shp'), 'this is no shapefile');
    await writeFile(exchange('noise.shp'), Buffer.concat([shpBytes([[1, 2]]), Buffer.alloc(10_000, 7)]));
    await writeFile(join(server.folder, 'outside.shp'), shpBytes([[1, 2]]));
    await symlink(join(server.folder, 'outside.shp'), exchange('link.shp'));
    expect(await calls.refused(['readShapefile', 'broken.shp'])).toMatch(/cannot be read/);
    expect((await calls.raw(['readShapefile', 'noise.shp'])).status).toBeLessThan(500);
    for (const path of ['../outside.shp', 'maps/../../outside', 'link.shp']) {
      expect((await calls.raw(['readShapefile', path])).status, path).toBe(403);
    }
    await writeFile(exchange('large.shp'), Buffer.alloc(17 * 1024 * 1024));
    expect((await calls.raw(['readShapefile', 'large.shp'])).status).toBe(413);
    expect(await calls.js(['readShapefile', 'nothing.shp'])).toBe('');
    expect(await calls.js(['readShapefile', ''])).toMatch(/^Usage/);
  });
});

describe('getWfsData', () => {
  const query = (): URLSearchParams => new URL(target.last.path, 'http://x').searchParams;

  it('asks a service for features', async () => {
    const found = await calls.ex('exWfs', { url: target.url('/wfs') });
    expect(found).toEqual(JSON_FEATURES.features.map(({ id, geometry, properties }) => ({ id, geometry, properties })));
    expect(Object.fromEntries(query())).toEqual({
      ...{ service: 'WFS', version: '2.0.0', request: 'GetFeature', typeNames: 'ns:rivers' },
      ...{ outputFormat: 'application/json', count: '10' },
    });
    expect(await calls.ex('exNames', { url: target.url('/wfs') })).toBe('Main,Nidda');
    const more = { OUTPUTFORMAT: 'json', srsName: 'EPSG:4326', 'a&b': 'c d' };
    await calls.js(['getWfsData', target.url('/wfs?map=x'), '1.1.0', 'rivers', more]);
    expect(Object.fromEntries(query())).toEqual({
      ...{ map: 'x', service: 'WFS', version: '1.1.0', request: 'GetFeature', typeName: 'rivers' },
      ...more,
    });
  });

  it('reads GML', async () => {
    const [point, surface, curve] = await calls.js(['getWfsData', target.url('/gml3'), '2.0.0', 'place']);
    expect(point).toEqual({
      id: 'place.1',
      geometry: { type: 'Point', coordinates: [8.6, 50.1] },
      properties: { name: 'Frankfurt & more', none: null },
    });
    expect(surface.geometry).toEqual({
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [0, 0],
            [9, 0],
            [9, 9],
            [0, 0],
          ],
          [
            [2, 1],
            [3, 1],
            [3, 2],
            [2, 1],
          ],
        ],
      ],
    });
    expect(curve.geometry).toEqual({
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    });
    expect(await calls.js(['getWfsData', target.url('/gml2'), '1.0.0', 'road'])).toEqual([
      {
        id: 'r.1',
        geometry: {
          type: 'MultiLineString',
          coordinates: [
            [
              [8.6, 50.1],
              [8.7, 50.2],
            ],
          ],
        },
        properties: { lanes: '2' },
      },
    ]);
  });

  it('says what a service answers instead', async () => {
    for (const [path, why] of [
      ['/refuses', /no such type/],
      ['/page', /html/],
      ['/words', /no collection/],
      ['/list', /no collection/],
      ['/down', /status 503/],
      ['/nothing', /status 404/],
    ] as const) {
      expect(await calls.refused(['getWfsData', target.url(path), '2.0.0', 'x']), path).toMatch(why);
    }
    expect(await calls.refused(['getWfsData', 'file:///etc/passwd', '2.0.0', 'x'])).toMatch(/http/i);
    expect(await calls.js(['getWfsData', target.url('/wfs'), '2.0.0'])).toMatch(/^Usage/);
  });

  it('calls nobody who is blocked', async () => {
    await server.reload({ 'application.httphelper.blockedaddresses': '127.0.0.0/8' });
    expect((await calls.raw(['getWfsData', target.url('/wfs', '127.0.0.1'), '2.0.0', 'x'])).status).toBe(422);
    await server.reload({ 'application.httphelper.blockedaddresses': '' });
  });
});
