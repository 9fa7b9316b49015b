/**
 * Packages that one function each is made with: `package.json` lists them as optional, and they are loaded with the first use. Who
 * wants a small installation leaves them out.
 */

/** What goes without each of them, for messages. */
const OPTIONAL: ReadonlyMap<string, string> = new Map([
  ['@asciidoctor/core', 'texts in AsciiDoc'],
  ['@aws-sdk/client-s3', 'storages of kind S3'],
  ['@cantoo/pdf-lib', 'encrypted PDF documents'],
  ['@opentelemetry/api', 'traces'],
  ['@opentelemetry/exporter-trace-otlp-http', 'traces'],
  ['@opentelemetry/resources', 'traces'],
  ['@opentelemetry/sdk-trace-node', 'traces'],
  ['@tesseract.js-data/eng', 'text in images'],
  ['bwip-js', 'bar codes and QR codes'],
  ['chardet', 'texts whose charset nothing says'],
  ['exif-reader', 'EXIF data of images'],
  ['fluent-ffmpeg', 'videos'],
  ['franc-min', 'the language of texts'],
  ['geographiclib-geodesic', 'distances on the ellipsoid'],
  ['jsts', 'making polygons'],
  ['markdown-it', 'texts in Markdown'],
  ['mongodb', 'mongodb() and bson()'],
  ['mysql2', 'jdbc() with MySQL and MariaDB'],
  ['pdfjs-dist', 'text of PDF documents'],
  ['pg', 'jdbc() with PostgreSQL'],
  ['postal-mime', 'text of e-mails'],
  ['proj4', 'other coordinate reference systems'],
  ['read-excel-file', 'reading spreadsheets'],
  ['shapefile', 'reading shapefiles'],
  ['sharp', 'sizes and thumbnails of images'],
  ['tesseract.js', 'text in images'],
  ['tesseract.js-core', 'text in images'],
  ['textile-js', 'texts in Textile'],
  ['tiff', 'reading coverages'],
  ['write-excel-file', 'writing spreadsheets'],
]);

/** Names of the optional packages. */
export const optionalPackages: readonly string[] = [...OPTIONAL.keys()];

/** An optional package is needed and not installed. The message names it, and what to do. */
export class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
  constructor(
    readonly packageName: string,
    options?: ErrorOptions,
  ) {
    super(
      `The optional package '${packageName}' (${OPTIONAL.get(packageName) ?? 'an addition'}) is not installed on this server: ` +
        `run \`npm install ${packageName}\` where the server is installed.`,
      options,
    );
  }
}

const NOT_FOUND = /Cannot find (?:package|module) '([^']+)'/;

/** The error in the place of one that says that an optional package was not found, by any way of loading it; undefined: it is another. */
export function missingPackage(error: unknown): MissingPackageError | undefined {
  if (error instanceof MissingPackageError) return error;
  // By its text: errors lose their codes on the way from another thread.
  const id = error instanceof Error ? NOT_FOUND.exec(error.message)?.[1] : undefined;
  if (id === undefined) return undefined;
  const name = id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');
  return OPTIONAL.has(name) ? new MissingPackageError(name, { cause: error }) : undefined;
}

/** Loads an optional package, or a module that imports one. Throws `MissingPackageError` when it is not installed. */
export async function optional<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw missingPackage(error) ?? error;
  }
}
