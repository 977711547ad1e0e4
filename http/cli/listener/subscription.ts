import { hostname } from 'node:os'
import { type Api, ApiRefusal } from '../connection/api.ts'
import { CommandFailure } from '../terminal/failure.ts'

export type Subscription = { id: string; secret: string; events: string[] }

const NAME = 'parley webhooks listen'
/** Owner of a subscription, to find those of listeners that were killed. */
const OWNER = `${NAME} on ${hostname().slice(0, 60)}`

/** Subscribes `url`. @throws {CommandFailure} with an advice when the token or the server does not allow it */
export async function subscribe(api: Api, url: string, patterns: string[]): Promise<Subscription> {
  const events = await chooseEvents(api, patterns)
  await removeForsaken(api)
  try {
    const name = `${OWNER} (${process.pid})`
    const { id, secret } = await api.call<Omit<Subscription, 'events'>>('POST', '/v1/webhooks', { name, url, events })
    return { id, secret, events }
  } catch (error) {
    throw advice(error) ?? error
  }
}

function advice(error: unknown): CommandFailure | undefined {
  if (!(error instanceof ApiRefusal)) return undefined
  const missing = error.details.missing?.join(',')
  if (error.code === 'INSUFFICIENT_SCOPE') {
    return new CommandFailure(
      `The token lacks the scope ${missing} (INSUFFICIENT_SCOPE): make one with \`parley token create --scopes webhooks:manage,webhooks:read\`.`,
    )
  }
  if (error.details.violations?.some(({ path }) => path === 'url')) {
    return new CommandFailure(
      `${error.message} This server does not deliver to this machine: give the address of a tunnel with --url.`,
    )
  }
  return undefined
}

/** The event types that match the patterns (`crm.*`). Only patterns require the catalogue. */
async function chooseEvents(api: Api, patterns: string[]): Promise<string[]> {
  if (!patterns.some((pattern) => pattern.includes('*'))) return patterns
  const known = await api.call<{ data: { type: string }[] }>('GET', '/v1/webhooks/event-types').then(
    ({ data }) => data.map(({ type }) => type),
    (error) => {
      throw advice(error) ?? error
    },
  )
  const chosen = patterns.flatMap((pattern) => {
    const expression = new RegExp(`^${pattern.split('*').map(literally).join('.*')}$`)
    const found = pattern.includes('*') ? known.filter((type) => expression.test(type)) : [pattern]
    if (found.length === 0)
      throw new CommandFailure(`No event type matches ${pattern}: there are ${known.join(', ')}.`, 2)
    return found
  })
  return [...new Set(chosen)]
}

const literally = (text: string) => text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&')

/** Deletes subscriptions of listeners on this machine that were killed. Without `webhooks:read` they stay. */
async function removeForsaken(api: Api): Promise<void> {
  try {
    const { data } = await api.call<{ data: { id: string; name: string }[] }>('GET', '/v1/webhooks')
    for (const { id, name } of data) {
      const [, owner, pid] = /^(.*) \((\d+)\)$/.exec(name) ?? []
      if (owner === OWNER && pid && !isRunning(Number(pid))) await api.call('DELETE', `/v1/webhooks/${id}`)
    }
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
  }
}

/** True when the server still has it. Without `webhooks:read` that is assumed. */
export async function exists(api: Api, id: string): Promise<boolean> {
  try {
    await api.call('GET', `/v1/webhooks/${id}`)
    return true
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 403) return true
    if (error instanceof ApiRefusal && (error.status === 404 || error.status === 401)) return false
    throw error
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
