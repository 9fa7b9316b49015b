/** HTML of a mail without what would tell somebody elsewhere that it is looked at, although it loads nothing. */

/**
 * A browser may connect to the host of a frame, or of a `link`, before the policy of the preview forbids to load it. What a `template` holds is in
 * no search here, but is shown where it is a shadow root.
 */
const CALLING = 'link, iframe, frame, object, embed, template';

/**
 * The same document without elements for which a browser calls on other hosts. What would load something is forbidden by the policy of the preview. It is
 * parsed as the frame parses it: as a document in which no scripts run.
 */
export function quiet(html: string): string {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const element of parsed.querySelectorAll(CALLING)) element.remove();
  return `${parsed.doctype === null ? '' : '<!doctype html>'}${parsed.documentElement.outerHTML}`;
}
