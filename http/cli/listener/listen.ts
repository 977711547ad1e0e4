import type { Api } from '../connection/api.ts'
import { remark } from '../terminal/terminal.ts'
import { forward } from './forward.ts'
import { type Arrival, asJson, asLine } from './line.ts'
import { startReceiver } from './receiver.ts'
import { exists, type Subscription, subscribe } from './subscription.ts'
import { verify } from './verify.ts'
import { watch } from './watch.ts'

type ListenOptions = {
  patterns: string[]
  port: number
  url?: string
  forward?: string
  respond?: number
  json?: boolean
}

const GOODBYE_MS = 5_000

/** Receives and prints until SIGINT or SIGTERM; leaves no subscription behind. */
export async function listen(connect: () => Api, options: ListenOptions): Promise<void> {
  const { promise: subscribed, resolve: announce } = Promise.withResolvers<void>()
  let subscription: Subscription | undefined
  let api = connect()

  const receiver = await startReceiver(options.port, async ({ headers, raw }) => {
    // An event may arrive before the answer that contains the secret.
    await subscribed
    const forwarded = options.forward ? await forward(options.forward, headers, raw) : undefined
    const arrival: Arrival = {
      received_at: new Date(),
      event: parse(raw),
      delivery_id: String(headers['x-svc-delivery'] ?? ''),
      attempt: Number(headers['x-svc-attempt'] ?? 1),
      signature: verify(subscription?.secret ?? '', headers, raw),
      forwarded,
      status: options.respond ?? forwarded?.status ?? 200,
    }
    process.stdout.write(`${options.json ? asJson(arrival) : asLine(arrival)}\n`)
    return options.respond === undefined && forwarded ? forwarded : { status: arrival.status }
  })

  const stop = new AbortController()
  const onSignal = () => (stop.signal.aborted ? process.exit(130) : stop.abort())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)

  const begin = async () => {
    subscription = await subscribe(api, options.url ?? `http://127.0.0.1:${receiver.port}/`, options.patterns)
    announce()
    const { id, secret, events } = subscription
    const count = events.length === 1 ? events[0] : `${events.length} event types`
    remark(`Listening on 127.0.0.1:${receiver.port} for ${count} (${id}). Ctrl-C ends it.`)
    if (options.forward) remark(`Signed with ${secret} until then.`)
  }

  let last_text = ''
  const failed = (error: unknown) => {
    const { message } = error as Error
    if (message !== last_text) remark(message)
    last_text = message
  }

  try {
    await begin()
    const watched = {
      connect,
      lost: () => remark(`${api.base_url} does not answer any more: waiting for it.`),
      async back(found: Api) {
        api = found
        if (subscription && (await exists(api, subscription.id))) remark(`${api.base_url} is back.`)
        else await begin()
      },
      failed,
    }
    if (!stop.signal.aborted) await watch(watched, stop.signal)
  } finally {
    await end(api, subscription)
    announce()
    await receiver.close()
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal)
  }
}

async function end(api: Api, subscription: Subscription | undefined): Promise<void> {
  if (!subscription) return
  try {
    await api.call('DELETE', `/v1/webhooks/${subscription.id}`, undefined, { patience_ms: GOODBYE_MS })
  } catch (error) {
    remark(
      `The subscription ${subscription.id} is left; the next \`parley webhooks listen\` ends it. ${(error as Error).message}`,
    )
  }
}

function parse(raw: Buffer): Arrival['event'] {
  try {
    const value = JSON.parse(raw.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
