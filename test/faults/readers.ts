/**
 * Reads beside the work, asked of every node, and changes that the reads have to show: a name that is a number, a token
 * that is made and revoked, limits that are lowered and raised. An acknowledged change holds for the whole cluster. A
 * read that began later and shows less came from memory or from an outdated server.
 */
import { type Database, literal } from '../../storage/mod.ts'
import { type Answer, type Client, type Json, sleep } from '../e2e/client.ts'
import type { Outside, Tenant } from '../e2e/fixture.ts'
import type { Finding, Interval } from '../e2e/history_checker.ts'
import { type Change, readerFindings, type Seen, type Sight, type TokenLife } from './reader_findings.ts'

/** A tenant that does nothing else. */
export type Watched = { tenant: Tenant; webhook_id: string }

export type Reader = {
  seen: Seen
  /** Returns the change that is not acknowledged yet, or an empty text. */
  open(): string
  /** Stops with a last look, through every node, at the results of the changes. */
  stop(): Promise<void>
  /** Returns the faults after the stop: none when every promise was kept. */
  findings(lost?: Interval): Finding[]
}

type Options = {
  world: Outside
  http: Client
  nodes: readonly { name: string; base_url: string }[]
  database: Database
}

type KnownToken = TokenLife & { secret: string }

const PAUSE_MS = 400
/**
 * Milliseconds until changes go on without the answer of a node that stands still. That answer counts when it comes.
 */
const IMPATIENT_MS = 400
/** Limits are lowered and raised once in so many rounds of changes. */
const SQUEEZED_EVERY = 3
/** The number of tokens that the last look asks for. */
const LAST_TOKENS = 20
const LOW = { minute: 1, hour: 1, day: 1 }
const HIGH = { minute: 1_000_000, hour: 1_000_000, day: 1_000_000 }
/** Characters of a refusal that a finding shows. */
const MAX_TEXT = 500

let numbers = 0
/** Projects of which a request to lower the limits was given up in the last round: a node may yet carry it out. */
const unsure = new Set<string>()

/** Prepares a tenant for any number of readers. */
export async function prepareWatched(tenant: Tenant): Promise<Watched> {
  const { id } = await tenant.subscribe(`${tenant.project_id}-watched`, ['whatsapp.message.failed'], {
    name: 'number 0',
  })
  return { tenant, webhook_id: id }
}

export function startReader({ tenant, webhook_id }: Watched, { world, http, nodes, database }: Options): Reader {
  const seen: Seen = {
    names: new Map(),
    tokens: [],
    squeezed: [],
    sights: [],
    surprises: [],
    stored: undefined,
    unsure: unsure.delete(tenant.project_id),
  }
  const tokens: KnownToken[] = []
  /** Open while the limits may be low. A node that stood still may yet carry out a request that was given up. */
  let squeeze: Change | undefined
  const looks = new Set<Promise<void>>()
  let going = true
  /** True when only looks are left to do. */
  let last = false
  let waiting = ''
  const limit = (limits: object) => world.operator('PATCH', `projects/${tenant.project_id}`, { limits })

  /** Repeats a change until it is acknowledged, and notes the time. Returns undefined when the answer is no. */
  async function carryOut(what: string, change: Change, ask: () => Promise<Answer>): Promise<Json | undefined> {
    waiting = what
    for (; ; await sleep(50)) {
      const begun = Date.now()
      const answer = await ask().catch(() => undefined)
      if (answer?.status === 429) {
        // The change was not carried out. The look tells whether limits may be low.
        const text = `${what}: ${answer.text.slice(0, MAX_TEXT)}`
        seen.sights.push({ look: { node: 'a node', begun, ended: Date.now(), status: 429, text }, last })
        await limit(HIGH).catch(() => undefined)
        continue
      }
      if (!answer || answer.status === 503) {
        change.repeated = true
        continue
      }
      if (answer.status < 300) {
        change.acknowledged = Date.now()
        waiting = ''
        return answer.body ?? {}
      }
      waiting = ''
      seen.surprises.push(`${what}: ${answer.status} ${answer.text}`)
      return undefined
    }
  }

  /**
   * Asks every node for the same read at once. Resolves when most have answered; the other answers count when they
   * come.
   */
  async function look(path: string, secret: string, token?: TokenLife): Promise<void> {
    const all = nodes.map(async ({ name: node, base_url }) => {
      const begun = Date.now()
      const is_last = last
      const answer = await http('GET', `${base_url}/v1/${path}`, { token: secret }).catch(() => undefined)
      if (!answer || answer.status === 503) return
      const { status, body } = answer
      const sight: Sight = { look: { node, begun, ended: Date.now(), status }, last: is_last }
      if (status === 429) sight.look.text = `${path}: ${answer.text.slice(0, MAX_TEXT)}`
      if (token) sight.token = token
      else if (body?.name) sight.look.name = body.name
      seen.sights.push(sight)
    })
    for (const one of all) {
      looks.add(one)
      void one.finally(() => looks.delete(one))
    }
    await Promise.race([Promise.all(all), sleep(IMPATIENT_MS)])
  }

  const lookAtName = () => look(`webhooks/${webhook_id}`, tenant.token)

  async function rename(): Promise<void> {
    const number = ++numbers
    const change = begin()
    seen.names.set(number, change)
    const headers = { 'idempotency-key': `${tenant.project_id} ${number}` }
    const name = `number ${number}`
    await carryOut('rename', change, () => tenant.api('PATCH', `webhooks/${webhook_id}`, { name }, { headers }))
    await lookAtName()
  }

  async function passToken(): Promise<void> {
    const { project_id, user_id } = tenant
    const wanted = { project_id, user_id, name: 'Passing', scopes: ['webhooks:read'] }
    const made = begin()
    const body = await carryOut('make a token', made, () => world.operator('POST', 'tokens', wanted))
    if (!body) return
    const token: KnownToken = { id: body._id, made, revoked: undefined, secret: body.token }
    seen.tokens.push(token)
    tokens.push(token)
    await look('me', token.secret, token)
    const revoked = begin()
    token.revoked = revoked
    // The token is gone when a server took over without it. The look at the table tells whether that may be.
    const revoke = async () => {
      const answer = await world.operator('DELETE', `tokens/${token.id}`)
      return answer.status === 404 ? { ...answer, status: 204 } : answer
    }
    await carryOut('revoke a token', revoked, revoke)
    await look('me', token.secret, token)
  }

  async function lowerAndRaise(): Promise<void> {
    squeeze ??= begin()
    if (!seen.squeezed.includes(squeeze)) seen.squeezed.push(squeeze)
    const lowered = await limit(LOW).catch(() => undefined)
    const raised = begin()
    await carryOut('raise the limits', raised, () => limit(HIGH))
    if (lowered?.status === 200) closeSqueeze(raised)
    await lookAtName()
  }

  function closeSqueeze({ acknowledged }: Change): void {
    if (squeeze) squeeze.acknowledged = acknowledged
    squeeze = undefined
  }

  async function run(): Promise<void> {
    for (let round = 0; going; round++) {
      await rename()
      await passToken()
      if (round % SQUEEZED_EVERY === 0 && !squeeze) await lowerAndRaise()
      await sleep(PAUSE_MS)
    }
  }

  const running = run()
  return {
    seen,
    open: () => waiting,
    async stop() {
      going = false
      await running
      await Promise.all(looks)
      if (squeeze) {
        unsure.add(tenant.project_id)
        const raised = begin()
        await carryOut('raise the limits', raised, () => limit(HIGH))
        closeSqueeze(raised)
      }
      const ids = tokens.map(({ id }) => literal(id)).join() || `''`
      const rows = await database.execute<{ _id: string; revoked: boolean }>(
        `select _id, revoked_at is not null as revoked from token where _id in (${ids})`,
      )
      last = true
      seen.stored = new Map(rows.map(({ _id, revoked }) => [_id, { revoked }]))
      // The tokens whose state in the database differs from the last acknowledged one come first.
      const undone = tokens.filter(({ id }) => seen.stored?.get(id)?.revoked !== true)
      for (const token of [...undone, ...tokens.slice(-LAST_TOKENS)].slice(0, LAST_TOKENS))
        await look('me', token.secret, token)
      await lookAtName()
      await Promise.all(looks)
    },
    findings: (lost) => readerFindings(seen, lost),
  }
}

const begin = (): Change => ({ begun: Date.now(), acknowledged: 0 })
