/** Places of the area: `#/files`, `#/files/folder/<id>`, `#/files/file/<id>/<tab>`, `#/files/settings/<id>/<tab>`. */
import { placeOf } from '../frame/place.js';

/** Undefined: the root. */
export const folderPlace = (id: string | undefined): string =>
  id === undefined ? placeOf('files') : placeOf('files', 'folder', id);

export const filePlace = (id: string, tab?: string): string =>
  placeOf('files', 'file', id, ...(tab === undefined ? [] : [tab]));

export const settingsPlace = (id: string, tab?: string): string =>
  placeOf('files', 'settings', id, ...(tab === undefined ? [] : [tab]));

/** Goes to a place of the page. */
export function goTo(place: string): void {
  location.hash = place;
}
