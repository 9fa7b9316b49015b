/** Begins the page anew. What one user has typed and read is not for the next one at this browser: all that the page knows goes. Who could keep it here hears `svc:leave` first. */
export function leave(): void {
  dispatchEvent(new Event('svc:leave'));
  location.replace(`${location.pathname}${location.search}`);
}
