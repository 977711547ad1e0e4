/**
 * Kinds of work of which a node may be in the middle when it is stopped. Each is prepared for a tenant of its own, says
 * whether it is under way, and at the end what differs from having been done once. One file, because it is one table.
 */
import { randomBytes } from 'node:crypto'
import type { Database } from '../../storage/mod.ts'
import { broadcastWhen, ORDER, people, sendBulk } from './broadcast_client.ts'
import { type Answer, eventually, type Json, patiently } from './client.ts'
import { made, type Outside, type Tenant, text } from './fixture.ts'

export type Stage = {
  world: Outside
  database: Database
  /** Makes a tenant whose project and number belong to the node that will be stopped. */
  tenant(): Promise<Tenant>
  /** Repeats `make` until what was made belongs to the node that will be stopped. */
  owned<Made>(make: () => Promise<Made>, address: (made: Made) => string): Promise<Made>
}

export type Work = {
  /** Resolves once it has begun. */
  begin(): Promise<unknown>
  /** A condition on the database: the node that works may not answer. */
  under_way: string
  /** Resolves to the differences, when all is over. */
  findings(): Promise<string[]>
}

/** The calls of providers take so long until the node has been stopped. It is shorter than any limit of these calls. */
const HELD_MS = 8000
const MESSAGES = 24
const RECORDS = 6000
const HISTORY = 4000
const FILES = 10
const RECIPIENTS = 200
const PER_SECOND = 8
const EVENTS = 20

/** In the order in which they begin: what lasts longest comes first. */
export const kinds: Record<string, (stage: Stage) => Promise<Work>> = {
  async 'a broadcast'({ world, database, tenant: make }) {
    const tenant = await make()
    const all = people(RECIPIENTS)
    const pace = (messages_per_second: number | null) =>
      made(() => world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second }))
    await pace(PER_SECOND)
    await eventually('its templates', async () => {
      const { body } = await tenant.api('GET', `messages/templates?channel_id=${tenant.number.channel_id}`)
      return body.data?.some(({ name }: Json) => name === ORDER.template_name)
    })
    const isPending = `exists (select from broadcast where project_id = '${tenant.project_id}' and pending_count < ${RECIPIENTS}`
    let id = ''
    return {
      async begin() {
        id = await sendBulk(tenant, all)
        await eventually('the first message', () => holds(database, `${isPending})`))
      },
      under_way: `${isPending} and pending_count > 0)`,
      async findings() {
        await pace(null)
        const record = await broadcastWhen(tenant, id, 'is read', ({ read_count }) => read_count === RECIPIENTS)
        const sent = (await tenant.sent()).map(({ recipient }) => `+${recipient}`).toSorted()
        return [
          ...differences('status', record.status, 'completed'),
          ...differences('the provider has', sent, all.map(({ phone }) => phone).toSorted()),
        ]
      },
    }
  },

  async 'the delivery of webhooks'({ world, owned, tenant: make }) {
    const tenant = await make()
    const path = `stopped/${tenant.project_id}`
    const seen = new Set<string>()
    // The first call for each event gets no answer, so that it is under way until its limit.
    world.sink.answer(path, ({ body }) => (seen.size === seen.add(body.id).size ? 200 : 'hang'))
    const hook = await owned(
      () => tenant.subscribe(path, ['crm.contact.created']),
      ({ id }) => `subscription/${id}`,
    )
    const create = (n: number) =>
      made(() =>
        tenant.api('POST', 'contacts', { channel_type: 'telegram', user_id: String(700_000 + n), name: `Person ${n}` }),
      )
    const contacts: Json[] = []
    return {
      async begin() {
        for (let n = 0; n < EVENTS; n++) contacts.push(await create(n))
      },
      under_way: `exists (select from delivery where subscription_id = '${hook.id}' and status not in ('success', 'failed'))`,
      async findings() {
        const deliveries = await eventually('all have arrived', async () => {
          const all = await tenant.deliveries(hook.id)
          return all?.length >= EVENTS && all.every(({ status }) => status === 'success') && all
        })
        const sorted = (of: Json[], name: string) => of.map((one) => one[name]).toSorted()
        const events = world.sink.events(path)
        const people = events.map(({ data }) => data)
        return [
          ...differences('deliveries', sorted(deliveries, 'event_id'), sorted(events, 'id')),
          ...differences('contacts', sorted(people, '_id'), sorted(contacts, '_id')),
        ]
      },
    }
  },

  async 'the history of a phone'({ world, database, tenant: make }) {
    const tenant = await make()
    const { phone_number_id, channel_id } = tenant.number
    const parts = `select * from history_part where channel_id = '${channel_id}'`
    let told: Promise<Answer> | undefined
    return {
      async begin() {
        told = world.control('POST', 'history', { phone_number_id, people: 20, messages: HISTORY })
        await eventually('the first part', () =>
          holds(
            database,
            `exists (select from history_import where channel_id = '${channel_id}' and message_count > 0)`,
          ),
        )
      },
      under_way: `exists (${parts})`,
      async findings() {
        await told
        const row = await eventually('the whole history', async () => {
          const { body } = await patiently(() => world.operator('GET', `channels/${channel_id}/history`))
          return body?.status === 'completed' && body.waiting_count === 0 && body
        })
        const counts = await database.execute<Json>(`select count(*)::int as stored,
          count(distinct provider_message_id)::int as different from message where channel_id = '${channel_id}'`)
        return [
          ...differences('counted', row.message_count, HISTORY),
          ...differences('messages', counts, [{ stored: HISTORY, different: HISTORY }]),
          ...differences('parts', await database.execute(parts), []),
        ]
      },
    }
  },

  async 'a merge of contacts'({ database, tenant: make }) {
    const tenant = await make()
    const ids = ['15550490001', '15550490002']
    for (const id of ids) await tenant.writes(id, 'Hello')
    const [survivor, former] = await eventually('both are contacts', async () => {
      const { data } = (await tenant.api('GET', 'contacts')).body
      const found = ids.map((id) => data?.find(({ user_id }: Json) => user_id === id)?._id)
      return found.every(Boolean) && (found as string[])
    })
    await database.execute(`insert into message (id, company_id, project_id, channel, channel_id, direction, "from", chat_user,
        type, message, status, confirmed, created_at, updated_at)
      select 'msg_' || substr(md5(id || n), 1, 24), company_id, project_id, channel, channel_id, direction, "from", chat_user,
        type, message, status, confirmed, created_at, updated_at
      from message cross join generate_series(1, ${RECORDS}) n where chat_user = '${former}'`)
    const isAt = (status: string) =>
      `exists (select from contact_merge where from_contact_id = '${former}' and status = '${status}')`
    return {
      begin: () => made(tenant.api('POST', `contacts/${survivor}/merge`, { from_contact_id: former })),
      under_way: isAt('merging'),
      async findings() {
        await eventually('it is merged', () => holds(database, isAt('merged')))
        const [row] =
          await database.execute<Json>(`select count(*) filter (where chat_user = '${survivor}')::int as survivor,
          count(*) filter (where chat_user = '${former}')::int as former from message where project_id = '${tenant.project_id}'`)
        return differences('messages', row, { survivor: RECORDS + 2, former: 0 })
      },
    }
  },

  async 'the fetch of files'(stage) {
    const { world, database } = stage
    const tenant = await stage.tenant()
    const bot = await botOf(stage, tenant)
    await hold(world, { phone_number_id: bot.id, operation: 'download' })
    const mine = `project_id = '${tenant.project_id}'`
    return {
      async begin() {
        for (let n = 0; n < FILES; n++) {
          const document = { data: randomBytes(50_000).toString('base64'), file_name: `${n}.own` }
          const inbound = { channel: 'telegram', bot_id: bot.id, from: 518273640, message: { document } }
          await made(world.control('POST', 'inbound', inbound))
        }
      },
      under_way: `exists (select from media_fetch where ${mine})`,
      async findings() {
        const messages: Json[] = await eventually('every file', async () => {
          const { body } = await tenant.api('GET', 'messages?direction=inbound&limit=200')
          const stored = (body.data ?? []).filter((one: Json) => one.message.media_status === 'stored')
          return stored.length >= FILES && stored
        })
        const names = messages.map(({ message }) => message.filename).toSorted()
        const kept = `select from media where ${mine} and expires_at > now() + interval '1 day'`
        const wanted = Array.from({ length: FILES }, (_, n) => `${n}.own`)
        return [
          ...differences('files', names, wanted),
          ...differences('stored files', (await database.execute(kept)).length, FILES),
          ...differences('fetches', await database.execute(`select * from media_fetch where ${mine}`), []),
        ]
      },
    }
  },

  async 'a send on WhatsApp'({ world, tenant: make }) {
    const tenant = await make()
    const { phone_number_id, channel_id } = tenant.number
    await hold(world, { phone_number_id })
    const names = namesOf('whatsapp', MESSAGES)
    const send = (name: string, n: number) => made(() => tenant.send(`+1555333${1000 + n}`, { message: text(name) }))
    let messages: Json[] = []
    return {
      async begin() {
        messages = await Promise.all(names.map(send))
      },
      under_way: attempting(channel_id),
      async findings() {
        for (const { id } of messages) await messageWhen(tenant, id, 'read')
        const sent = (await tenant.sent()).map(({ body }) => body.text.body)
        return differences('the provider has', sent.toSorted(), names.toSorted())
      },
    }
  },

  async 'a send on Telegram'(stage) {
    const tenant = await stage.tenant()
    const bot = await botOf(stage, tenant)
    await hold(stage.world, { phone_number_id: bot.id })
    const names = namesOf('telegram', MESSAGES)
    const send = (name: string, n: number) => {
      const fields = { channel: 'telegram', channel_id: bot.channel_id, message: text(name) }
      return made(() => tenant.send(String(518273640 + n), fields))
    }
    let messages: Json[] = []
    return {
      async begin() {
        messages = await Promise.all(names.map(send))
      },
      under_way: attempting(bot.channel_id),
      async findings() {
        const ends = await Promise.all(messages.map(({ id }) => messageWhen(tenant, id, 'sent')))
        const { data } = (await stage.world.control('GET', `sent?phone_number_id=${bot.id}&limit=10000`)).body
        const count = (name: string) => data.filter(({ body }: Json) => body.text === name).length
        // Telegram reports nothing about a message. One in doubt says so, and is not sent again. It has failed once the
        // stopped node goes on and tells that its call was never sent.
        return ends.flatMap(({ status, error, confirmed }, n) => {
          const times = count(names[n]!)
          const is_right = times === 1 || (times === 0 && (confirmed === false || status === 'failed'))
          const says = `${status} ${error?.code ?? ''}, confirmed: ${confirmed}`
          return is_right ? [] : [`${names[n]} was sent ${times} times, and is ${says}`]
        })
      },
    }
  },
}

/** Returns true when a condition holds in the database. */
export async function holds(database: Database, condition: string): Promise<boolean> {
  const [row] = await database.execute<{ holds: boolean }>(`select ${condition} as holds`)
  return row!.holds
}

const namesOf = (word: string, count: number) => Array.from({ length: count }, (_, n) => `${word} ${n}`)

const attempting = (channel_id: string) =>
  `exists (select from dispatch where channel_id = '${channel_id}' and state = 'attempting')`

const hold = (world: Outside, match: Json): Promise<Answer> =>
  made(world.control('POST', 'faults', { match, latency_ms: HELD_MS }))

function differences(what: string, is: unknown, wanted: unknown): string[] {
  const [one, other] = [JSON.stringify(is), JSON.stringify(wanted)]
  return one === other ? [] : [`${what}: ${one}, not ${other}`]
}

/** Resolves to the message at this status, or to what it failed as. */
function messageWhen(tenant: Tenant, id: string, status: string): Promise<Json> {
  return tenant.message(id, status, 'failed')
}

let bots = 110_000_000

/** Connects a bot whose channel belongs to the node that will be stopped. */
async function botOf({ world, owned }: Stage, tenant: Tenant): Promise<{ id: string; channel_id: string }> {
  const { bot, channel } = await owned(
    async () => {
      const bot = { bot_token: `${++bots}:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw`, webhook_secret: 'a-secret_token' }
      const fields = {
        project_id: tenant.project_id,
        channel_type: 'telegram',
        provider: 'simulator',
        name: `Bot ${bots}`,
      }
      const credentials = { ...bot, api_base_url: world.simulator_url }
      await made(world.control('PUT', 'bots', bot))
      return { bot, channel: await made(() => world.operator('POST', 'channels', { ...fields, credentials })) }
    },
    ({ channel }) => `channel/${channel._id}`,
  )
  await made(
    world.control('PUT', 'bots', { ...bot, webhook_url: `${world.base_url}/providers/telegram/${channel._id}` }),
  )
  return { id: bot.bot_token.split(':')[0]!, channel_id: channel._id }
}
