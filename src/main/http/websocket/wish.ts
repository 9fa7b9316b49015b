/** Whether a request asks for a WebSocket as RFC 6455, 4.2.1, wants it. */

const KEY = /^[A-Za-z0-9+/]{22}==$/;
const UPGRADE = /(?:^|,)\s*upgrade\s*(?:,|$)/i;

/** `header` answers the value of a header by its name in lower case, empty where there is none. */
export function wishesWebSocket(method: string, header: (name: string) => string): boolean {
  return (
    method === 'GET' &&
    header('upgrade').toLowerCase() === 'websocket' &&
    UPGRADE.test(header('connection')) &&
    header('sec-websocket-version') === '13' &&
    KEY.test(header('sec-websocket-key'))
  );
}
