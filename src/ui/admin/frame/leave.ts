/** Begins the page anew. What one user has typed and read is not for the next one at this browser: all that the page knows goes. */
export function leave(): void {
  location.replace(`${location.pathname}${location.search}`);
}
