/** The HTTP side of several providers. Their answers to sends wait until a test releases them. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Owner } from '../support/mod.ts'

/** A send that the provider has received. `at` is a time of the provider's clock. */
export type Asked = { id: string; at: number }

export type Held = { asked: Promise<Asked>; answer(): void }

export type HeldProvider = {
  url: string
  /** Holds the answer to the next send of an account. Other sends are answered at once. */
  hold(account: string): Held
  /** Shifts the provider's clock, for an account, by so many milliseconds. */
  turnClock(account: string, off_ms: number): void
}

type Waiting = { take(asked: Asked): void; gate: Promise<void> }

export async function startHeldProvider(t: Owner): Promise<HeldProvider> {
  const holds = new Map<string, Waiting>()
  const clocks = new Map<string, number>()
  let ids = 0

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const url = request.url ?? '/'
    const account = /"business_id":"(\d+)"/.exec(body)?.[1] ?? /\/(9\d{8})\b/.exec(url)?.[1] ?? ''
    const at = Date.now() + (clocks.get(account) ?? 0)
    const answer = (value: object) => {
      response.setHeader('date', new Date(at).toUTCString())
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(value))
    }
    if (request.method !== 'POST') return answer({ id: account, data: [], code: 0, instance: { state: 'open' } })
    const id = `provider-${++ids}`
    const held = holds.get(account)
    holds.delete(account)
    held?.take({ id, at })
    await held?.gate
    answer({
      message_id: id,
      recipient_id: '1',
      messages: [{ id }],
      key: { id },
      code: 0,
      data: { message: { message_id: id } },
    })
  }

  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(account) {
      let take: Waiting['take'] = () => {}
      let answer = () => {}
      const asked = new Promise<Asked>((resolve) => {
        take = resolve
      })
      const gate = new Promise<void>((resolve) => {
        answer = resolve
      })
      holds.set(account, { take, gate })
      return { asked, answer }
    },
    turnClock: (account, off_ms) => void clocks.set(account, off_ms),
  }
}
