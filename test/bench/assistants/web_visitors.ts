/** Visitors of the web chat who write once, each with a page of its own, and see the answer grow. */
import { io } from 'socket.io-client'

export type WebVisit = {
  base_url: string
  channel_id: string
  /** The id of the message. */
  id: string
  body: string
  /** The first words of the answer are on the page. */
  seen: () => void
}

const PATIENCE_MS = 30_000

/** Resolves to true when the answer is there. */
export function visit({ base_url, channel_id, id, body, seen }: WebVisit): Promise<boolean> {
  const socket = io(base_url, {
    path: '/visitor/socket.io',
    transports: ['websocket'],
    auth: { channel_id },
    reconnection: false,
    forceNew: true,
  })
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, PATIENCE_MS, false)
  let has_seen = false
  socket.on('connect_error', () => resolve(false))
  // All visitors come from one address, whose messages are limited: like a page, the visitor says it again then.
  const say = () =>
    socket.emit('say', { id, type: 'text', body }, ({ error }: { error?: { retry_after_s?: number } }) => {
      if (error) setTimeout(say, (error.retry_after_s ?? 1) * 1000)
    })
  socket.on('welcome', say)
  socket.on('typing', ({ draft }: { draft?: { text: string } }) => {
    if (!draft?.text || has_seen) return
    has_seen = true
    seen()
  })
  socket.on('message', ({ direction }: { direction: string }) => {
    if (direction === 'outbound') resolve(true)
  })
  return promise.finally(() => {
    clearTimeout(timer)
    socket.disconnect()
  })
}
