/** Addresses of images in other sizes: signed, so that strangers cannot have any number of them made (docs/interface/media.md 2.4). */
import { createHmac } from 'node:crypto';
import type { Config } from '../../../config/index.js';
import { sameText } from '../../../../shared/same-text.js';
import { MediaError } from '../../errors.js';
import { optionsIn, optionsText } from './options.js';

/** Below it these addresses lie. */
export const IMAGES = '/svc/image';

/** Of the options and the target, as they are in the address, decoded. */
function signatureOf(secret: string, options: string, target: string): string {
  return createHmac('sha256', secret).update(`${options}/${target}`).digest('base64url');
}

function secretIn(config: Config): string {
  const secret = config.get('application.images.url.secret');
  if (secret !== '') return secret;
  throw new MediaError(422, 'There are no addresses of images: the setting application.images.url.secret is empty.');
}

/** The address, on this server, of an image in another size. `target`: its id, or its path. Throws `MediaError` 400 and 422. */
export function addressOf(config: Config, target: string, given: ReadonlyMap<string, unknown>): string {
  const options = optionsText(optionsIn(given, config.get('application.images.url.maxsize')));
  const plain = target.replace(/^\//, '');
  const path = plain.split('/').map(encodeURIComponent).join('/');
  return `${IMAGES}/${signatureOf(secretIn(config), options, plain)}/${options}/${path}`;
}

/** Throws `MediaError` 403 for an address that this server has not signed. */
export function checkSignature(config: Config, signature: string, options: string, target: string): void {
  if (sameText(signature, signatureOf(secretIn(config), options, target))) return;
  throw new MediaError(403, 'The signature of this address is wrong.');
}
