// Says which transport a server takes here: node test/support/transport.mjs (of what is built).
import { chooseTransport } from '../../dist/src/main/http/index.js';

const { transport, instead } = chooseTransport('auto', 16 * 1024);
console.log(`transport ${transport}${instead === undefined ? '' : `: ${instead}`}`);
