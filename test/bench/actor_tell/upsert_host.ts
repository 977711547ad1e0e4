/** The floor: one upsert, one transaction per operation, over node-postgres with its prepared statements. */
import pg from 'pg'
import { lineServer } from '../load/line_server.ts'
import { offer } from '../servers/remote.ts'

const UPSERT = {
  name: 'count',
  text: `insert into counter (key, count, last) values ($1, 1, $2)
         on conflict (key) do update set count = counter.count + 1, last = excluded.last`,
}

let pool: pg.Pool
let port: number

offer({
  async start({ url, connections }: { url: string; connections: number }) {
    pool = new pg.Pool({ connectionString: url, max: connections })
    await pool.query('create table counter (key text primary key, count bigint not null, last jsonb not null)')
    port = await lineServer((key, payload) => pool.query({ ...UPSERT, values: [key, payload] }))
  },
  port: () => port,
  stored: async () => Number((await pool.query('select coalesce(sum(count), 0) as sum from counter')).rows[0].sum),
})
