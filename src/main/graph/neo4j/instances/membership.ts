/** Members and their coordinator, kept in the database and by its clock, so that clocks of machines may differ. */
import type { Lease, Member, MemberFacts, Membership } from '../../commits/between-instances.js';
import type { Database } from '../connection/database.js';
import type { Values } from '../connection/statement.js';
import { META, NOTICE } from '../connection/names.js';

/** Milliseconds since its last heartbeat after which an instance counts as gone. */
export const SILENT = 60_000;
/** Heartbeats are given up after this many milliseconds: the next one says more than a late one. */
const PATIENCE = 5000;

/**
 * Setting `lock` takes the lock before the lease is looked at, so that only one instance can find it free. `timestamp()`
 * is when the statement began, before it waited: the lease ends rather too early.
 */
const BEAT =
  `MERGE (i:${META} {name: $member}) SET i += $facts, i.beat = timestamp() ` +
  `MERGE (c:${META} {name: 'coordinator'}) SET c.lock = $member ` +
  `WITH c, timestamp() AS now, c.holder IS NULL OR c.holder = $member OR c.until < timestamp() AS ours ` +
  `FOREACH (_ IN CASE WHEN ours THEN [1] ELSE [] END | ` +
  `SET c.term = coalesce(c.term, 0) + CASE WHEN c.holder = $member THEN 0 ELSE 1 END, ` +
  `c.holder = $member, c.until = now + $lease) ` +
  `WITH ours, c.term AS term OPTIONAL MATCH (o:${META}) WHERE o.beat > timestamp() - $alive AND o.name <> $member ` +
  `RETURN ours, term, count(o)`;
const MEMBERS =
  `MATCH (i:${META}) WHERE i.beat IS NOT NULL OPTIONAL MATCH (c:${META} {name: 'coordinator'}) ` +
  `RETURN i.name, i.member, i.host, i.pid, i.port, i.version, i.startedAt, timestamp() - i.beat, ` +
  `coalesce(c.holder = i.name AND c.until >= timestamp(), false) ORDER BY i.startedAt, i.name`;
const TIDY =
  // The lock before the second look: it may beat meanwhile.
  `MATCH (i:${META}) WHERE i.beat < timestamp() - $silent SET i.lock = $member ` +
  `WITH i WHERE i.beat < timestamp() - $silent ` +
  `OPTIONAL MATCH (t:${META} {name: i.instance}) DELETE i, t`;
/** Notices are removed from the oldest on, so that whoever missed one sees the gap. */
const TIDY_NOTICES = `MATCH (x:${NOTICE}) WHERE x.at < timestamp() - $silent WITH x ORDER BY x.n LIMIT 1000 DELETE x RETURN count(*)`;
const RESIGN =
  `MATCH (c:${META} {name: 'coordinator'}) SET c.lock = $member WITH c WHERE c.holder = $member ` +
  `REMOVE c.holder, c.until`;
const LEAVE = `MATCH (i:${META}) WHERE i.name IN [$member, $instance] DELETE i`;

export class Neo4jMembership implements Membership {
  /** Not the node of our transactions, which a long one keeps locked. */
  readonly name: string;
  /** By the clock of this process. */
  #aloneUntil = 0;

  constructor(
    private readonly database: Database,
    private readonly instance: string,
  ) {
    this.name = `member ${instance}`;
  }

  /** Its last heartbeat, not long ago, has found no other instance. One that has begun since is not known yet. */
  get isAlone(): boolean {
    return performance.now() < this.#aloneUntil;
  }

  async beat(facts: MemberFacts, lease: number): Promise<Lease> {
    const { name, host, pid, port, version, startedAt } = facts;
    const since = performance.now();
    const [row] = await this.#run(
      BEAT,
      {
        lease: BigInt(lease),
        alive: BigInt(SILENT),
        facts: {
          instance: this.instance,
          member: name,
          host,
          pid: BigInt(pid),
          port: BigInt(port),
          version,
          startedAt: startedAt.toISOString(),
        },
      },
      Date.now() + Math.min(PATIENCE, lease / 3),
    );
    this.#aloneUntil = row?.[2] === 0n ? since + lease : 0;
    return { ours: row?.[0] === true, term: Number(row?.[1]) };
  }

  async members(): Promise<Member[]> {
    const rows = await this.#run(MEMBERS, {});
    return rows.map(([id, name, host, pid, port, version, startedAt, silentFor, coordinator]) => ({
      id: String(id).replace('member ', ''),
      name: String(name),
      host: String(host),
      pid: Number(pid),
      port: Number(port),
      version: String(version),
      startedAt: new Date(String(startedAt)),
      silentFor: Number(silentFor),
      coordinator: coordinator === true,
      self: id === this.name,
    }));
  }

  async tidy(silentFor: number): Promise<void> {
    await this.#run(TIDY, { silent: BigInt(silentFor) });
    for (;;) {
      const [row] = await this.#run(TIDY_NOTICES, { silent: BigInt(silentFor) });
      if (Number(row?.[0] ?? 0) < 1000) return;
    }
  }

  async leave(): Promise<void> {
    await this.#run(RESIGN, {}, Date.now() + 2000);
    await this.#run(LEAVE, {}, Date.now() + 2000);
  }

  #run(text: string, params: Record<string, unknown>, deadline = Date.now() + PATIENCE): Promise<Values[]> {
    const statement = { text, params: { ...params, instance: this.instance, member: this.name } };
    return this.database.run(statement, { deadline }, true);
  }
}
