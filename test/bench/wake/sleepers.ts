/** The actors that are woken, and their rows. The database makes the rows by the million, before anyone asks. */
import { type ProjectProtocol, Providers, projectActor } from '../../../actors/mod.ts'
import { type ActorKind, defineActor, type Node } from '../../../runtime/mod.ts'
import type { Database } from '../../../storage/mod.ts'

type Small = { name: string; limits: Record<string, number>; counts: Record<string, number>; tags: string[] }

/** An actor with a state of about 250 bytes in `actor_state`. Answering changes nothing. */
const small = defineActor<{ look: { message: object; reply: string } }, Small>({
  kind: 'small',
  create: () => ({ name: '', limits: {}, counts: {}, tags: [] }),
  receive: { look: ({ state }) => state.name },
})

const SMALL = `{"name": "Sleeper ' || n || '", "limits": {"minute": 60, "hour": 200, "day": 1000, "ingest_minute": 6000},
  "counts": {"minute": 12, "hour": 80, "day": 512, "ingest": 0, "opened_at": 1763700000000}, "tags": ["alpha", "beta"]}`

/**
 * A kind of sleeper. `fill` makes `count` of them; `ask` wakes number `n` and resolves to true for the right answer.
 */
export type Sleeper = {
  kind(database: Database): ActorKind
  fill(database: Database, count: number): Promise<void>
  ask(node: Node, n: number): Promise<boolean>
}

export const sleepers: Record<string, Sleeper> = {
  small: {
    kind: () => small,
    async fill(database, count) {
      await database.execute(
        `insert into actor_state select 'small/' || n, ('${SMALL}')::jsonb from generate_series(0, ${count - 1}) n`,
      )
    },
    ask: async (node, n) => (await node.ask(small.address(String(n)), { type: 'look' })) === `Sleeper ${n}`,
  },
  /** A project with one token that is admitted to a read, as for a GET. It saves its rate windows a second later. */
  project: {
    kind: (database) => projectActor({ database, webhook_schedule: [0], base_url: '', providers: new Providers() }),
    async fill(database, count) {
      const id = `lpad(n::text, 24, '0')`
      const rows = `from generate_series(0, ${count - 1}) n`
      await database.execute(`
        insert into company (_id, name) values (lpad('0', 24, '0'), 'Sleepers');
        insert into "user" (_id, company_id, full_name, email) values (lpad('0', 24, '0'), lpad('0', 24, '0'), 'Bench Mark', 'bench@example.com');
        insert into project (_id, company_id, name) select ${id}, lpad('0', 24, '0'), 'Sleeper ' || n ${rows};
        insert into token (_id, company_id, project_id, user_id, name, prefix, hash, scopes)
          select ${id}, lpad('0', 24, '0'), ${id}, lpad('0', 24, '0'), 'Bench', 'svc_pk_bench', 'hash ' || n, '{messages:read}' ${rows};
        insert into rate_window select ${id}, '{"minute": {"opened_at": 0, "count": 0}, "hour": {"opened_at": 0, "count": 0}, "day": {"opened_at": 0, "count": 0}, "ingest": {"opened_at": 0, "count": 0}}' ${rows};
        analyze`)
    },
    async ask(node, n) {
      const id = String(n).padStart(24, '0')
      const request = { type: 'request', token_id: id, pool: 'shared', scope: 'messages:read' } as const
      const reply = await node.ask<ProjectProtocol, typeof request>(`project/${id}`, request)
      return reply.admission.ok
    },
  },
}
