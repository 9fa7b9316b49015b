/** Formats of documents, in the order they are tried. A new one is one file and one line here. */
import type { Format } from './format.js';
import { archive } from './formats/archive.js';
import { html, xml } from './formats/html.js';
import { image } from './formats/image.js';
import { mail } from './formats/mail.js';
import { pdf } from './formats/pdf.js';
import { markdown, plain } from './formats/plain.js';
import { rtf } from './formats/rtf.js';
import { office97 } from './formats/office97.js';

export const FORMATS: readonly Format[] = [archive, rtf, image, office97, pdf, html, xml, markdown, mail, plain];
