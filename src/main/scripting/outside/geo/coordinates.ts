/** Geometries in the form of GeoJSON (RFC 7946), without heights. */

/** `[x, y]`: longitude and latitude, or easting and northing. */
export type Position = readonly [x: number, y: number];
export type Ring = readonly Position[];

export type Geometry =
  | { readonly type: 'Point'; readonly coordinates: Position | readonly [] }
  | { readonly type: 'MultiPoint' | 'LineString'; readonly coordinates: Ring }
  | { readonly type: 'MultiLineString' | 'Polygon'; readonly coordinates: readonly Ring[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly Ring[])[] }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] };
