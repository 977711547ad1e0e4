/** A project with many tickets, written straight into the tables: over the API it would take an hour. */
import pg from 'pg'

/** One contact in ten has an open ticket besides its closed ones. */
const OPEN_EVERY = 10
/** Messages of each of the tickets with the latest activity, which the agent opens. */
const MESSAGES = 60
const LATEST = 200

const id = (kind: number, n: string) => `'000000c${kind}' || lpad(to_hex(${n}), 16, '0')`

/** Adds `count` tickets. Returns the ids of the open ones with the latest activity, the latest first. */
export async function seedTickets(database_url: string, project_id: string, count: number): Promise<string[]> {
  const database = new pg.Client({ connectionString: database_url })
  await database.connect()
  try {
    const owner = (await database.query('select company_id from project where _id = $1', [project_id])).rows.map(
      ({ company_id }) => `'${company_id}', '${project_id}'`,
    )[0]
    const person = `(n - 1) / ${OPEN_EVERY} + 1`
    const people = count / OPEN_EVERY
    const channel = `(select _id from channel where project_id = '${project_id}' and channel_type = 'whatsapp' limit 1)`
    await database.query(`
      insert into contact (_id, company_id, project_id, channel_type, user_id, phone, name, windows, first_seen_at, last_seen_at)
      select ${id(1, 'n')}, ${owner}, 'whatsapp', '52155' || lpad(n::text, 8, '0'), '+52155' || lpad(n::text, 8, '0'),
        'Ana María ' || md5(n::text), jsonb_build_object(${channel}, now() + interval '1 day'), now(), now()
      from generate_series(1, ${people}) n`)
    const is_closed = `n % ${OPEN_EVERY} <> 0`
    const at = `now() - interval '1 second' * (${count} - n)`
    await database.query(`
      insert into ticket (_id, company_id, project_id, chat_user, is_closed, closed_at, created_at)
      select ${id(2, 'n')}, ${owner}, ${id(1, person)}, ${is_closed}, case when ${is_closed} then ${at} end, ${at}
      from generate_series(1, ${count}) n`)
    await database.query(`
      insert into message (id, company_id, project_id, channel, channel_id, direction, chat_user, type, message, status, created_at)
      select 'msg_' || lpad(to_hex(n), 24, '0'), ${owner}, 'whatsapp', ${channel}, 'inbound', ${id(1, 'n')}, 'text',
        '{"body":"Hello, where is my order?"}', 'received', now() - interval '1 second' * (${people} - n)
      from generate_series(1, ${people}) n`)
    await database.query(`
      insert into message (id, company_id, project_id, channel, channel_id, direction, chat_user, type, message, status, created_at)
      select 'msg_' || lpad(to_hex(1000000000 + p * 1000 + n), 24, '0'), ${owner}, 'whatsapp', ${channel},
        case when n % 2 = 0 then 'inbound' else 'outbound' end, ${id(1, 'p')}, 'text',
        jsonb_build_object('body', 'Line ' || n || ' of the conversation, long enough to be a sentence'),
        case when n % 2 = 0 then 'received' else 'read' end, now() - interval '1 minute' * (${MESSAGES} - n)
      from generate_series(${people - LATEST}, ${people}) p, generate_series(1, ${MESSAGES}) n`)
    await database.query('vacuum (analyze) contact, ticket, inbox_entry, message')
    const { rows } = await database.query(
      `select _id from ticket where project_id = $1 and not is_closed order by created_at desc limit ${LATEST}`,
      [project_id],
    )
    return rows.map(({ _id }) => String(_id))
  } finally {
    await database.end()
  }
}

/** The time of the database, in milliseconds. */
export async function momentOf(database_url: string): Promise<number> {
  const [row] = await ask<{ ms: string }>(database_url, 'select extract(epoch from now()) * 1000 as ms')
  return Number(row!.ms)
}

/** The messages of the project by id, with the times at which they were stored, in milliseconds. */
export async function storedMessages(database_url: string, project_id: string): Promise<Map<string, number>> {
  const sql = 'select id, extract(epoch from created_at) * 1000 as ms from message where project_id = $1'
  const rows = await ask<{ id: string; ms: string }>(database_url, sql, [project_id])
  return new Map(rows.map(({ id, ms }) => [id, Number(ms)]))
}

async function ask<Row extends pg.QueryResultRow>(database_url: string, sql: string, values: unknown[] = []) {
  const database = new pg.Client({ connectionString: database_url })
  await database.connect()
  try {
    return (await database.query<Row>(sql, values)).rows
  } finally {
    await database.end()
  }
}
