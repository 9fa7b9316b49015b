/** Shapefiles of points and polygons, as other programs write them (ESRI Shapefile Technical Description, July 1998). */

/** `[x, y]`; a list of them is a ring of a polygon. */
export type Shape = readonly [number, number] | readonly (readonly [number, number])[] | null;

const POINT = 1;
const POLYGON = 5;

export function shpBytes(shapes: readonly Shape[]): Buffer {
  const type = shapes.some((one) => one !== null && Array.isArray(one[0])) ? POLYGON : POINT;
  const records = shapes.map((shape, i) => {
    const body = bodyOf(shape);
    const head = Buffer.alloc(8);
    head.writeInt32BE(i + 1, 0);
    head.writeInt32BE(body.length / 2, 4);
    return Buffer.concat([head, body]);
  });
  const header = Buffer.alloc(100);
  header.writeInt32BE(9994, 0);
  header.writeInt32BE((100 + Buffer.concat(records).length) / 2, 24);
  header.writeInt32LE(1000, 28);
  header.writeInt32LE(type, 32);
  return Buffer.concat([header, ...records]);
}

function bodyOf(shape: Shape): Buffer {
  if (shape === null) return Buffer.alloc(4);
  if (typeof shape[0] === 'number') {
    const body = Buffer.alloc(20);
    body.writeInt32LE(POINT, 0);
    shape.forEach((value, i) => body.writeDoubleLE(value as number, 4 + 8 * i));
    return body;
  }
  const ring = shape as readonly (readonly [number, number])[];
  const body = Buffer.alloc(48 + 16 * ring.length);
  body.writeInt32LE(POLYGON, 0);
  body.writeInt32LE(1, 36);
  body.writeInt32LE(ring.length, 40);
  ring.flat().forEach((value, i) => body.writeDoubleLE(value, 48 + 8 * i));
  return body;
}

/** Columns of text (C), numbers (N) and days (D, `20240229`), and the values of their rows. */
export function dbfBytes(
  columns: readonly (readonly [name: string, type: 'C' | 'N' | 'D', length: number])[],
  rows: readonly (readonly string[])[],
  encoding: BufferEncoding,
): Buffer {
  const fields = columns.map(([name, type, length]) => {
    const field = Buffer.alloc(32);
    field.write(name, 0, 'latin1');
    field.write(type, 11, 'latin1');
    field.writeUInt8(length, 16);
    return field;
  });
  const body = rows.map((row) =>
    Buffer.concat([
      Buffer.from(' '),
      ...row.map((value, i) =>
        Buffer.alloc(columns[i]?.[2] ?? 0, ' ').fill(
          Buffer.concat([Buffer.from(value, encoding), Buffer.alloc(255, ' ')]),
        ),
      ),
    ]),
  );
  const header = Buffer.alloc(32);
  header.writeUInt8(3, 0);
  header.writeUInt32LE(rows.length, 4);
  header.writeUInt16LE(32 + 32 * fields.length + 1, 8);
  header.writeUInt16LE(1 + columns.reduce((sum, [, , length]) => sum + length, 0), 10);
  return Buffer.concat([header, ...fields, Buffer.from([0x0d]), ...body, Buffer.from([0x1a])]);
}
