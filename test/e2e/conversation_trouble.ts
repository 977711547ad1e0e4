/**
 * A visitor of the web chat and two agents on two nodes hold a conversation, while nodes are killed and networks cut. At
 * the end, each page must have what is stored.
 */
import { randomUUID } from 'node:crypto'
import { between, type Chance } from '../faults/chance.ts'
import { type Visitor, visitPage } from '../http/visitor_page.ts'
import type { Owner } from '../support/mod.ts'
import { AgentPage } from './agent_page.ts'
import { eventually, type Json, sleep } from './client.ts'
import { makeAgent } from './console_client.ts'
import { type Door, startDoor } from './door.ts'
import { made, type Outside, type Tenant } from './fixture.ts'

export type ConversationTrouble = {
  t: Owner
  world: Pick<Outside, 'operator'>
  tenant: Tenant
  /** Two nodes. `kill` ends one, and resolves when it is back. */
  nodes: { base_url: string; kill(): Promise<unknown> }[]
  random: Chance
  rounds: number
  log?(line: string): void
}

export type ConversationResult = { findings: string[]; said: number; reads: number; max_ms: number }

/** Milliseconds between two texts of one person. */
const PACE_MS = [20, 150] as const

/** Each round has a kill of a node or a cut network, at a random moment of the conversation. */
export async function holdConversation(options: ConversationTrouble): Promise<ConversationResult> {
  const { t, world, tenant, nodes, random, rounds, log = () => {} } = options
  const { project_id } = tenant
  const credentials = { visitor_secret: 'the secret of the visitors' }
  const fields = { project_id, channel_type: 'web', provider: 'cloud', name: `Chat ${randomUUID()}`, credentials }
  const channel: string = (await made(world.operator('POST', 'channels', fields)))._id
  const urls = nodes.map(({ base_url }) => base_url)
  const doors = await Promise.all([urls, urls.toReversed(), urls].map((order) => startDoor(t, order)))
  const visitor = new PatientVisitor(t, doors[2]!, channel)
  await visitor.say('Hello')
  const agents = await Promise.all(
    doors.slice(0, 2).map(async ({ base_url }) => {
      const { email } = await makeAgent(world, tenant)
      return AgentPage.open(t, base_url, email, project_id)
    }),
  )
  const said: string[] = ['Hello']
  const findings: string[] = []
  let max_ms = 0
  let is_over = false
  const talk = async (name: string, say: (text: string) => Promise<unknown>) => {
    for (let n = 0; !is_over; n++) {
      const text = `${name} ${n}`
      await say(text)
      said.push(text)
      await sleep(between(random, ...PACE_MS))
    }
  }
  const replies = agents.map((page, n) =>
    talk(`agent ${n}`, (body) => {
      const message = { type: 'text', body }
      const json = { channel: 'web', channel_id: channel, to: visitor.user_id, message }
      return page.post('messages', json, randomUUID())
    }),
  )
  const talking = Promise.all([talk('visitor', (text) => visitor.say(text)), ...replies])
  const all = async (path: string) => {
    const records: Json[] = []
    for (let cursor = ''; ; ) {
      const { status, body } = await tenant.api('GET', `${path}?limit=200${cursor}`)
      if (status !== 200) throw new Error(`${path}: ${status}`)
      records.push(...body.data)
      if (!body.next_cursor) return records
      cursor = `&cursor=${body.next_cursor}`
    }
  }
  for (let round = 1; round <= rounds; round++) {
    await sleep(between(random, 200, 1200))
    const what = await strike(random, nodes, doors)
    const began = performance.now()
    await eventually('every page is live again', () => agents.every(({ isLive }) => isLive))
    max_ms = Math.max(max_ms, performance.now() - began)
    log(`round ${round}: ${what}, live again after ${Math.round(performance.now() - began)} ms, ${said.length} texts`)
  }
  is_over = true
  await talking
  for (const [n, page] of agents.entries()) {
    let last: string[] = []
    await eventually(`agent ${n} has what is stored`, async () => {
      last = await page.differences(all).catch((error) => [String(error)])
      return last.length === 0
    }).catch(() => {})
    for (const one of [...last, ...page.faults]) findings.push(`agent ${n}: ${one}`)
  }
  for (const [who, texts] of [
    ['stored', (await all('messages')).filter((one) => one.channel_id === channel).map(({ message }) => message.body)],
    ['visitor', await visitor.history()],
  ] as const) {
    if (texts.toSorted().join('\n') !== said.toSorted().join('\n'))
      findings.push(`${who} has ${texts.length} texts of ${said.length}`)
    for (const name of ['visitor', 'agent 0', 'agent 1']) {
      const numbers = texts
        .filter((text: string) => text.startsWith(`${name} `))
        .map((text) => Number(text.split(' ').at(-1)))
      const ordered = numbers.toSorted((one, other) => one - other)
      if (who === 'visitor' && numbers.join() !== ordered.join()) findings.push(`the visitor has ${name} out of order`)
    }
  }
  return { findings, said: said.length, reads: agents.reduce((sum, { reads }) => sum + reads, 0), max_ms }
}

async function strike(random: Chance, nodes: ConversationTrouble['nodes'], doors: Door[]): Promise<string> {
  const n = between(random, 0, nodes.length - 1)
  if (random() < 0.6) {
    await nodes[n]!.kill()
    return `node ${n} killed`
  }
  const door = between(random, 0, doors.length - 1)
  doors[door]!.close()
  await sleep(between(random, 100, 3000))
  doors[door]!.open()
  return `network ${door} cut`
}

/** A visitor who says everything until it is acknowledged, under the same id. */
class PatientVisitor {
  readonly #t: Owner
  readonly #door: Door
  readonly #channel: string
  #page: Promise<Visitor> | undefined
  #token: string | undefined
  user_id = ''

  constructor(t: Owner, door: Door, channel: string) {
    this.#t = t
    this.#door = door
    this.#channel = channel
  }

  async say(body: string): Promise<void> {
    await this.#ask('say', { id: `said-${randomUUID()}`, type: 'text', body })
  }

  /** All texts, oldest first. */
  async history(): Promise<string[]> {
    const texts: string[] = []
    for (let before: string | undefined; ; ) {
      const page = await this.#ask('history', before === undefined ? {} : { before })
      texts.unshift(...page.messages.map(({ message }: Json) => message.body))
      if (!page.before) return texts
      before = page.before
    }
  }

  #ask(name: string, question: object): Promise<Json> {
    return eventually(`${name} is answered`, async () => {
      try {
        const page = await this.#opened()
        const answer = await page.ask(name, question)
        if (answer.error) throw new Error(answer.error.code)
        return answer
      } catch {
        // The connection ended, or the node is overloaded.
        const page = await this.#page?.catch(() => undefined)
        if (!page?.socket.connected) this.#page = undefined
        return undefined
      }
    })
  }

  #opened(): Promise<Visitor> {
    this.#page ??= visitPage(this.#t, { base_url: this.#door.base_url, channel: this.#channel, token: this.#token })
    return this.#page.then((page) => {
      this.#token = page.token
      this.user_id = page.user_id
      return page
    })
  }
}
