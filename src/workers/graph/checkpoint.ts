/** Copies the graph's write-ahead log into the database file, beside everything else. */
export { copyLog as default } from '../../main/graph/sqlite/whole/copy-log.js';
