/** The rules of Engine.IO, revision 4: those of its public test suite, without long-polling, which this product does not offer. */
import assert from 'node:assert/strict'
import t from 'tap'
import type { ProtocolClient } from './protocol_client.ts'
import { MESSAGE_BYTES, PING_INTERVAL_MS, PING_TIMEOUT_MS } from './protocol_server.ts'
import { packetRefused, pollingRefused, prove, type Rule } from './rules.ts'

function isGreeting(packet: unknown, upgrades: string[]): void {
  assert.equal(typeof packet, 'string')
  const text = packet as string
  assert.equal(text[0], '0')
  const { sid, ...rest } = JSON.parse(text.slice(1))
  assert.match(sid, /./)
  const times = { pingInterval: PING_INTERVAL_MS, pingTimeout: PING_TIMEOUT_MS }
  assert.deepEqual(rest, { upgrades, ...times, maxPayload: MESSAGE_BYTES })
}

async function statusOf(client: ProtocolClient, query: string, method = 'GET'): Promise<number> {
  return (await client.poll(query, method)).status
}

const rules: Rule[] = [
  {
    name: 'polling opens a session',
    refused: pollingRefused,
    async holds(client) {
      const { status, text } = await client.poll()
      assert.equal(status, 200)
      isGreeting(text, ['websocket'])
      // A session that is left open delays the end of the server by half a minute.
      await client.poll(`EIO=4&transport=polling&sid=${JSON.parse(text.slice(1)).sid}`, 'POST', '1')
    },
  },
  {
    name: 'a web socket opens a session',
    holds: async (client) => isGreeting(await client.socket().next(), []),
  },
  {
    name: 'another revision, transport or method opens none',
    async holds(client) {
      for (const query of ['transport=polling', 'EIO=abc&transport=polling', 'EIO=4', 'EIO=4&transport=abc'])
        assert.equal(await statusOf(client, query), 400, query)
      for (const method of ['POST', 'PUT'])
        assert.equal(await statusOf(client, 'EIO=4&transport=polling', method), 400, method)
      for (const query of ['transport=websocket', 'EIO=abc&transport=websocket', 'EIO=4', 'EIO=4&transport=abc'])
        await client.socket(query).closed
    },
  },
  {
    name: 'a packet of no known form ends a web socket',
    async holds(client) {
      const socket = await client.greeted()
      socket.send('abc')
      await socket.closed
    },
  },
  {
    name: 'binary packets are accepted',
    refused: packetRefused(1003, Uint8Array.from([1, 2, 3, 4])),
    async holds(client) {
      const socket = await client.connected()
      socket.send('451-["message",{"_placeholder":true,"num":0}]', Uint8Array.from([1, 2, 3, 4]))
      assert.match((await socket.nextMessage()) as string, /^451-\["message-back",/)
      assert.deepEqual(await socket.nextMessage(), Uint8Array.from([1, 2, 3, 4]).buffer)
    },
  },
  {
    name: 'pings and pongs go on over a web socket',
    async holds(client) {
      const socket = await client.connected()
      const began = performance.now()
      while (performance.now() - began < PING_INTERVAL_MS + PING_TIMEOUT_MS + 500) {
        assert.equal(await socket.next(), '2')
        socket.send('3')
      }
    },
  },
  {
    name: 'a session without pongs ends',
    async holds(client) {
      const socket = await client.connected()
      await socket.closed
    },
  },
  {
    name: 'a close packet ends a web socket',
    async holds(client) {
      const socket = await client.greeted()
      socket.send('1')
      await socket.closed
    },
  },
]

t.test('Engine.IO 4', (t) => prove(t, rules))
