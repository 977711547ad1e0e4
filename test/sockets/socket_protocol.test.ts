/** The rules of Socket.IO, revision 5: those that its public test suite judges. */
import assert from 'node:assert/strict'
import t from 'tap'
import type { PacketSocket } from './protocol_client.ts'
import { packetRefused, prove, type Rule } from './rules.ts'

const TWO_PLACES = '{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}'
const BYTES = [Uint8Array.from([1, 2, 3]), Uint8Array.from([4, 5, 6])]

/** Sends packets after the greeting of Engine.IO, and compares what comes with them. */
async function isConnected(socket: PacketSocket, packet: string, namespace: string, auth: string): Promise<void> {
  socket.send(packet)
  const answer = (await socket.nextMessage()) as string
  assert.ok(answer.startsWith(`40${namespace}{`), answer)
  assert.deepEqual(Object.keys(JSON.parse(answer.slice(`40${namespace}`.length))), ['sid'])
  assert.equal(await socket.nextMessage(), `42${namespace}["auth",${auth}]`)
}

/** Each text ends the connection. */
function endsIt(...packets: string[]): Rule['holds'] {
  return (client) =>
    Promise.all(
      packets.map(async (packet) => {
        const socket = await client.connected()
        socket.send(packet)
        await socket.closed
      }),
    )
}

function exchanged(said: (string | Uint8Array<ArrayBuffer>)[], heard: unknown[]): Rule['holds'] {
  return async (client) => {
    const socket = await client.connected()
    socket.send(...said)
    for (const packet of heard) assert.deepEqual(await socket.nextMessage(), packet)
  }
}

const rules: Rule[] = [
  {
    name: 'a page connects to the main namespace, with its authentication data or without',
    async holds(client) {
      await isConnected(await client.greeted(), '40', '', '{}')
      await isConnected(await client.greeted(), '40{"token":"123"}', '', '{"token":"123"}')
    },
  },
  {
    name: 'a page connects to another namespace',
    async refused(client) {
      const socket = await client.greeted()
      socket.send('40/custom,')
      assert.equal((await socket.closed).code, 1008)
    },
    async holds(client) {
      await isConnected(await client.greeted(), '40/custom,', '/custom,', '{}')
      await isConnected(await client.greeted(), '40/custom,{"token":"abc"}', '/custom,', '{"token":"abc"}')
    },
  },
  {
    name: 'an unknown namespace is refused by a packet',
    async refused(client) {
      const socket = await client.greeted()
      socket.send('40/random')
      assert.equal((await socket.closed).code, 1008)
    },
    async holds(client) {
      const socket = await client.greeted()
      socket.send('40/random')
      assert.equal(await socket.nextMessage(), '44/random,{"message":"Invalid namespace"}')
    },
  },
  {
    name: 'a first packet of no known form ends the connection, and so does silence',
    async holds(client) {
      const socket = await client.greeted()
      socket.send('4abc')
      await socket.closed
      await client.socket().closed
    },
  },
  {
    name: 'a page leaves the main namespace, and the connection stays',
    async holds(client) {
      const socket = await client.connected()
      socket.send('41')
      assert.equal(await socket.next(), '2')
    },
  },
  {
    name: 'a page leaves another namespace, and stays in the main one',
    refused: packetRefused(1008, '40/custom'),
    async holds(client) {
      const socket = await client.connected()
      await isConnected(socket, '40/custom', '/custom,', '{}')
      socket.send('41/custom', '42["message","message to main namespace"]')
      assert.equal(await socket.nextMessage(), '42["message-back","message to main namespace"]')
    },
  },
  {
    name: 'an event arrives with its values',
    holds: exchanged(['42["message",1,"2",{"3":[true]}]'], ['42["message-back",1,"2",{"3":[true]}]']),
  },
  {
    name: 'an event is acknowledged under its number',
    holds: exchanged(['42456["message-with-ack",1,"2",{"3":[false]}]'], ['43456[1,"2",{"3":[false]}]']),
  },
  {
    name: 'an event has binary attachments',
    refused: packetRefused(1008, `452-["message",${TWO_PLACES}]`),
    holds: exchanged(
      [`452-["message",${TWO_PLACES}]`, ...BYTES],
      [`452-["message-back",${TWO_PLACES}]`, ...BYTES.map(({ buffer }) => buffer)],
    ),
  },
  {
    name: 'an event with binary attachments is acknowledged',
    refused: packetRefused(1008, `452-789["message-with-ack",${TWO_PLACES}]`),
    holds: exchanged(
      [`452-789["message-with-ack",${TWO_PLACES}]`, ...BYTES],
      [`462-789[${TWO_PLACES}]`, ...BYTES.map(({ buffer }) => buffer)],
    ),
  },
  {
    name: 'packets of an unknown type, without a list, or with a number that is none end the connection',
    holds: endsIt('4abc', '42{}', '42abc["message-with-ack",1,"2",{"3":[false]}]'),
  },
]

t.test('Socket.IO 5', (t) => prove(t, rules))
