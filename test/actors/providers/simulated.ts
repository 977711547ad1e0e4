/** The provider simulator as the far side of an adapter. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Credentials, HookCall, Provider } from '../../../actors/providers/provider.ts'
import { type SimulatorOptions, startSimulator } from '../../../http/simulator/mod.ts'
import { freePort } from '../../support/mod.ts'
import { type Accepted, type FarSide, type Fault, RETRY_AFTER_S } from './conformance.ts'

type Json = Record<string, unknown>

export type SimulatedSide = {
  channel: string
  provider: Provider
  /** The account as the channel stores it, without `api_base_url`. */
  credentials: Credentials
  /** Returns the same account as the simulator knows it. */
  accounts(webhook_url: string): Partial<SimulatorOptions>
  /** The provider's codes for faults that are errors, with their additions. */
  errors: Record<'auth' | 'rate' | 'permanent', { code: number; status?: number }>
}

export type Simulated = FarSide & { url: string; control(method: string, path: string, body?: Json): Promise<Json> }

/** Starts the simulator with one account. The provider closes with the simulator. */
export async function simulated(t: Test, side: SimulatedSide, options: Partial<SimulatorOptions> = {}) {
  const { provider, channel, credentials } = side
  const signature_header = provider.hook?.signature_header ?? ''
  const receiver = await startReceiver(t, signature_header)
  const simulator = await startSimulator({
    numbers: [],
    window: { enforced: false },
    statuses: { enabled: false },
    ...side.accounts(receiver.url),
    ...options,
  })
  t.teardown(async () => {
    await provider.close()
    await simulator.close()
  })
  const control: Simulated['control'] = async (method, path, body) => {
    const response = await fetch(`${simulator.url}/_control/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Json
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer
  }
  const far: Simulated = {
    url: simulator.url,
    control,
    credentials: { ...credentials, api_base_url: simulator.url },
    wrong: { ...credentials, api_base_url: simulator.url, access_token: 'wrong' },
    unreachable: { ...credentials, api_base_url: `http://127.0.0.1:${await freePort()}` },
    async sent() {
      return (await control('GET', 'sent')).data as Accepted[]
    },
    async fail(fault) {
      await control('POST', 'faults', { match: { channel }, times: 1, ...effectOf(fault, side) })
    },
    async write(from, { message, context }, by_business) {
      const beside = { ...(context && { context }), ...(by_business && { by_business }) }
      const injected = await control('POST', 'inbound', { channel, from, message, ...beside })
      const call = receiver.calls.at(-1)
      if (!call) throw new Error(`The simulator made no call: ${JSON.stringify(injected)}`)
      return { call, provider_message_id: String(injected.provider_message_id) }
    },
  }
  return { provider, far, calls: receiver.calls }
}

function effectOf(fault: Fault, { errors }: SimulatedSide): Json {
  switch (fault) {
    case 'rate':
      return { error: { ...errors.rate, retry_after: RETRY_AFTER_S } }
    case 'auth':
    case 'permanent':
      return { error: errors[fault] }
    case 'garbage':
      return { garbage: true }
    case 'reset_after':
      return { reset: 'after' }
    case 'hang':
      return { hang: 'after' }
  }
}

/** Keeps the calls of webhooks unchanged. */
async function startReceiver(t: Test, signature_header: string): Promise<{ url: string; calls: HookCall[] }> {
  const calls: HookCall[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const signature = request.headers[signature_header]
    calls.push({
      raw: Buffer.concat(chunks).toString('utf8'),
      signature: typeof signature === 'string' ? signature : null,
    })
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, calls }
}
