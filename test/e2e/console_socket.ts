/** The sockets of consoles, read with the stock client `socket.io-client`. */
import { io, type Socket } from 'socket.io-client'
import type { Owner } from '../support/mod.ts'
import type { Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import type { Outside } from './fixture.ts'

/** A user who may sign in, and is signed in. */
export async function signedIn(world: Outside, { company_id }: { company_id: string }, full_name = 'Agent') {
  const agent = await makeAgent(world, { company_id }, { full_name })
  const { cookie } = await signIn(world, agent as { email: string })
  return { user_id: agent._id as string, cookie }
}

/** Milliseconds that an answer may take on a busy machine. */
const PATIENCE_MS = 120_000

export type ConsoleSocket = {
  socket: Socket
  /** Every `live` that came, in order. */
  batches: Json[]
  /** All events that came, in order. */
  events: () => Json[]
  resyncs: () => number
  position: () => string
  /** Resolves to `signed_out`, or to nothing when the connection ended otherwise. */
  ended: Promise<string>
  ask(name: string, question: unknown): Promise<Json>
  /** Resolves when everything has come that the node has sent so far. */
  caughtUp(): Promise<void>
}

/** Connects. Rejects with the refusal of the server. */
export async function openConsole(
  t: Owner,
  base_url: string,
  cookie: string | undefined,
  origin = base_url,
): Promise<ConsoleSocket> {
  const socket = io(base_url, {
    path: '/console/socket.io',
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    extraHeaders: { origin, ...(cookie !== undefined && { cookie }) },
  })
  t.teardown(() => socket.disconnect())
  const batches: Json[] = []
  let resyncs = 0
  let position = ''
  let last_word = ''
  socket.on('live', (batch) => {
    batches.push(batch)
    position = batch.position
  })
  socket.on('resync', () => resyncs++)
  socket.on('signed_out', () => (last_word = 'signed_out'))
  const ended = new Promise<string>((resolve) => socket.on('disconnect', () => resolve(last_word)))
  await new Promise<void>((resolve, reject) => {
    socket.on('connect', () => resolve())
    socket.on('connect_error', reject)
  })
  const ask = async (name: string, question: unknown): Promise<Json> => {
    const answer = await socket.timeout(PATIENCE_MS).emitWithAck(name, question)
    if (answer.position) position = answer.position
    return answer
  }
  return {
    socket,
    batches,
    events: () => batches.flatMap(({ events }) => events),
    resyncs: () => resyncs,
    position: () => position,
    ended,
    ask,
    async caughtUp() {
      // A socket keeps its order: the answer, a refusal, is behind all events.
      await ask('unwatch', null)
    },
  }
}
