/** Rules of a protocol, each of which holds for the library over uWebSockets.js, and for our sockets unless they refuse it. */
import assert from 'node:assert/strict'
import type { Test } from 'tap'
import { ProtocolClient } from './protocol_client.ts'
import { serveLibrary, serveProduct } from './protocol_server.ts'

/**
 * `refused`: our pages need none of it, so our sockets refuse it, as the function proves. The table of exceptions in
 * `docs/console_live.md` has the reasons.
 */
export type Rule = {
  name: string
  holds(client: ProtocolClient): Promise<unknown>
  refused?: (client: ProtocolClient) => Promise<unknown>
}

/** Proves all rules at once on both servers: most of them wait. */
export async function prove(t: Test, rules: Rule[]): Promise<void> {
  const library = new ProtocolClient(t, await serveLibrary(t))
  const product = new ProtocolClient(t, await serveProduct(t))
  const proofs = rules.flatMap(({ name, holds, refused }) => [
    { name: `library: ${name}`, proof: () => holds(library) },
    { name: refused ? `product refuses: ${name}` : `product: ${name}`, proof: () => (refused ?? holds)(product) },
  ])
  await Promise.all(
    proofs.map(({ name, proof }) =>
      proof().then(
        () => t.pass(name),
        (error: Error) => t.fail(name, { error: error.stack }),
      ),
    ),
  )
}

export async function pollingRefused(client: ProtocolClient): Promise<void> {
  const { status, text } = await client.poll()
  assert.equal(status, 400)
  assert.deepEqual(JSON.parse(text), { message: 'use a websocket' })
  const query = 'EIO=4&transport=polling&sid=unknown'
  assert.equal((await client.poll(query, 'POST', '4hello')).status, 400)
  await client.upgrading('unknown').closed
}

/** Refusal of packets on a socket in the main namespace, by the end of the connection. */
export function packetRefused(code: number, ...packets: (string | Uint8Array<ArrayBuffer>)[]) {
  return async (client: ProtocolClient): Promise<void> => {
    const socket = await client.connected()
    socket.send(...packets)
    assert.equal((await socket.closed).code, code)
  }
}
