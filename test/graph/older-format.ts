/** Databases as older versions have left them. */
import type Sqlite from 'better-sqlite3';

const ID = (alias: string): string => `iif(typeof(${alias}.id)='blob',lower(hex(${alias}.id)),${alias}.id)`;
const NAME = (number: string): string => `(SELECT text FROM name_table WHERE id=${number})`;
const STAMPS = (alias: string): string =>
  `'"createdDate":'||${alias}.made||iif(${alias}.maker IS NULL,'',',"createdBy":"'||${NAME(`${alias}.maker`)}||
    '","lastModifiedDate":'||(${alias}.made+${alias}.changed/32768)||',"lastModifiedBy":"'||
    ${NAME(`iif(${alias}.changed%32768=0,${alias}.maker,${alias}.changed%32768)`)}||'"')`;
const PROPS = (alias: string): string => `CASE
  WHEN ${alias}.made IS NULL THEN ${alias}.props
  WHEN ${alias}.props IS NULL OR ${alias}.props='{}' THEN '{'||${STAMPS(alias)}||'}'
  WHEN typeof(${alias}.props)='integer' THEN '{'||${STAMPS(alias)}||',"allowed":["read","write","delete","accessControl"]}'
  ELSE substr(${alias}.props,1,length(${alias}.props)-1)||','||${STAMPS(alias)}||'}' END`;

/** JSON of a node that has a shape. */
const SHAPED = `(SELECT '{'||group_concat(json_quote(k.key)||':'||iif(k.type='text',node.props->k.value,k.type),',')||'}'
  FROM name_table s CROSS JOIN json_each(s.text) k WHERE s.id=json_extract(node.props,'$[0]'))`;

/** Gives records the form that they had in format 7; how many are others. */
export function inFormat7(db: Sqlite.Database): number {
  const { changes } = db.prepare(`UPDATE node SET props=${SHAPED} WHERE props LIKE '[%'`).run();
  db.prepare("DELETE FROM name_table WHERE text LIKE '{%'").run();
  db.pragma('user_version = 7');
  return changes;
}

/** Gives the tables of records the form that they had in format 6. */
export function inFormat6(db: Sqlite.Database): void {
  inFormat7(db);
  db.exec(`BEGIN;
    CREATE TABLE node6(pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type INTEGER NOT NULL, props TEXT NOT NULL);
    INSERT INTO node6 SELECT n.pk,${ID('n')},n.type,${PROPS('n')} FROM node n;
    CREATE TABLE rel6(pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type INTEGER NOT NULL, relType INTEGER NOT NULL,
      source INTEGER NOT NULL, target INTEGER NOT NULL, props TEXT);
    INSERT INTO rel6 SELECT r.pk,${ID('r')},r.type,r.relType,r.source,r.target,${PROPS('r')} FROM rel r;
    DROP TABLE node; DROP TABLE rel;
    ALTER TABLE node6 RENAME TO node; ALTER TABLE rel6 RENAME TO rel;
    CREATE INDEX node_type ON node(type);
    CREATE INDEX rel_type ON rel(type);
    CREATE INDEX rel_out ON rel(source, relType, pk, target);
    CREATE INDEX rel_in ON rel(target, relType, pk, source);
    PRAGMA user_version = 6;
    COMMIT;`);
}
