import { accountRoutes } from './accounts.ts'
import { type Answer, ControlRefusal, controlError, ok, type SimulatorRequest } from './answer.ts'
import type { ControlRoute } from './control_route.ts'
import type { SentFilter } from './ledger.ts'
import type { SimulatedModels } from './models/mod.ts'
import type { Provider, World } from './provider.ts'

/** Default number of messages in GET /_control/sent. */
const SENT_SHOWN = 1000
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/** The control API under /_control: the common routes and those of the providers. */
export class Control {
  readonly #routes: ControlRoute[]

  constructor(world: World, providers: Provider[], models: SimulatedModels) {
    this.#routes = [
      ...sharedRoutes(world, providers, models, () => this.#routes),
      ...accountRoutes(world.accounts),
      ...models.control,
      ...providers.flatMap(({ control }) => control),
    ]
  }

  /** `path` is the part after /_control/. */
  async serve(path: string, request: SimulatorRequest): Promise<Answer> {
    const candidates = this.#routes.filter((route) => route.path === path)
    const route = candidates.find(({ method }) => method === request.method)
    if (!route) {
      if (candidates.length === 0)
        return controlError(404, 'NOT_FOUND', `There is no /_control/${path}; GET /_control lists what there is.`)
      const allow = candidates.map(({ method }) => method).join(', ')
      const refusal = controlError(405, 'METHOD_NOT_ALLOWED', `/_control/${path} takes ${allow}.`)
      return { ...refusal, headers: { allow } }
    }
    try {
      return await route.handle(request, parseBody(request))
    } catch (error) {
      if (error instanceof ControlRefusal) return controlError(error.status, error.code, error.message)
      throw error
    }
  }
}

function parseBody(request: SimulatorRequest): Record<string, unknown> {
  if (request.body.length === 0) return {}
  let body: unknown
  try {
    body = JSON.parse(request.body.toString('utf8'))
  } catch {
    throw new ControlRefusal('The body is not valid JSON.')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ControlRefusal('The body must be a JSON object.')
  return body as Record<string, unknown>
}

function sharedRoutes(
  world: World,
  providers: Provider[],
  models: SimulatedModels,
  routes: () => ControlRoute[],
): ControlRoute[] {
  const { faults, ledger, webhooks, schedule } = world
  return [
    {
      method: 'GET',
      path: '',
      summary: 'What the simulator is doing and which control routes it has.',
      handle: () =>
        ok({
          accepted: ledger.total,
          webhooks_pending: webhooks.pending,
          callbacks_scheduled: schedule.pending,
          faults: faults.list().length,
          channels: Object.fromEntries(providers.map((provider) => [provider.channel, provider.describe()])),
          model: models.describe(),
          settings: world.settings,
          routes: routes().map(({ method, path, summary }) => ({ method, path: `/_control/${path}`, summary })),
        }),
    },
    {
      method: 'POST',
      path: 'inbound',
      summary:
        'A person writes: { channel, from, message, name?, phone_number_id? or account_id?, context? }; with by_business, the business writes to the person elsewhere.',
      handle: ({ host }, body) => {
        const channels = providers.map(({ channel }) => channel)
        const provider = providers.find(({ channel }) => channel === body.channel)
        if (!provider) throw new ControlRefusal(`channel must be one of ${channels.join(', ')}.`)
        return provider.inbound(body, host)
      },
    },
    {
      method: 'POST',
      path: 'threads',
      summary:
        'Another app moves a conversation: { channel, recipient, holder: parley, meta_agent or app, note?, phone_number_id? or account_id? }.',
      handle: (_request, body) => {
        const able = providers.filter(({ thread }) => thread !== undefined)
        const provider = able.find(({ channel }) => channel === body.channel)
        if (!provider?.thread)
          throw new ControlRefusal(`channel must be one of ${able.map(({ channel }) => channel).join(', ')}.`)
        if (typeof body.recipient !== 'string' || body.recipient === '')
          throw new ControlRefusal('recipient is missing: the person of the conversation.')
        return provider.thread(body)
      },
    },
    {
      method: 'POST',
      path: 'faults',
      summary: 'Adds a fault rule: { match, latency_ms, error, garbage, statuses, reset, hang, times }.',
      handle: (_request, body) => ok(faults.add(body), 201),
    },
    { method: 'GET', path: 'faults', summary: 'The fault rules in force.', handle: () => ok({ data: faults.list() }) },
    {
      method: 'DELETE',
      path: 'faults',
      summary: 'Removes all fault rules, or the one with ?id=.',
      handle: (request) => ok({ removed: faults.remove(request.query.get('id') ?? undefined) }),
    },
    {
      method: 'GET',
      path: 'sent',
      summary:
        'Accepted messages, oldest first; ?recipient= ?since= ?after= ?type= ?phone_number_id= ?opaque_data= ?limit=.',
      handle: (request) => ok({ total: ledger.total, ...ledger.find(sentFilter(request.query)) }),
    },
    {
      method: 'DELETE',
      path: 'sent',
      summary: 'Forgets the accepted messages (the journal keeps them).',
      handle: () => ok({ removed: ledger.clear() }),
    },
    {
      method: 'GET',
      path: 'webhooks',
      summary: 'The latest webhook calls with what the receiver answered.',
      handle: () => ok({ pending: webhooks.pending, data: webhooks.log() }),
    },
    {
      method: 'DELETE',
      path: 'webhooks',
      summary: 'Empties the log of webhook calls.',
      handle: () => {
        webhooks.clearLog()
        return ok({ pending: webhooks.pending })
      },
    },
  ]
}

function sentFilter(query: URLSearchParams): SentFilter {
  const filter: SentFilter = { limit: wholeNumber(query, 'limit') ?? SENT_SHOWN }
  // A plus sign that was not encoded arrives as a space.
  const recipient = query.get('recipient')?.replace(/^[+ ]/, '')
  const after = wholeNumber(query, 'after')
  const since = query.get('since')
  if (recipient) filter.recipient = recipient
  if (after !== undefined) filter.after = after
  if (since) {
    filter.since = momentOf(since)
    if (Number.isNaN(filter.since))
      throw new ControlRefusal('since must be Unix milliseconds or ISO 8601 with Z or an offset: 2026-11-21T10:00:00Z.')
  }
  for (const key of ['type', 'phone_number_id', 'opaque_data'] as const) {
    const value = query.get(key)
    if (value) filter[key] = value
  }
  return filter
}

/** Unix milliseconds; NaN for an invalid moment. */
function momentOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  const instant = text.replace(' ', '+')
  return INSTANT.test(instant) ? Date.parse(instant) : Number.NaN
}

function wholeNumber(query: URLSearchParams, key: string): number | undefined {
  const value = query.get(key)
  if (value === null) return undefined
  if (!/^\d+$/.test(value)) throw new ControlRefusal(`${key} must be a whole number.`)
  return Number(value)
}
