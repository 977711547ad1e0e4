/**
 * Sends the events of projects to the sockets that watch them. An event for all sockets of a project is encoded once and
 * published to a topic of uWebSockets.js, which writes it to each connection without any code of ours.
 */
import type * as uWS from 'uWebSockets.js'
import type { EventBatch } from '../../../runtime/mod.ts'
import type { ClientSocket } from '../../server/sockets/sockets.ts'

/** A page that has missed more reads everything again. Below the bytes that a page may leave unread. */
const MAX_MISSED_BYTES = 512 * 1024

export type Watcher = ClientSocket<{ user_id: string }>

export class FanOut {
  readonly #app: Pick<uWS.TemplatedApp, 'publish'>
  readonly #watchers = new Map<string, Set<Watcher>>()
  /** Messages to single sockets, counting one for each socket. */
  readonly stats = { sent: 0 }

  constructor(app: Pick<uWS.TemplatedApp, 'publish'>) {
    this.#app = app
  }

  /** Number of sockets that watch the project. */
  watchers(project_id: string): number {
    return this.#watchers.get(project_id)?.size ?? 0
  }

  /** True when the user has a socket here that watches the project. */
  isWatching(project_id: string, user_id: string): boolean {
    for (const { data } of this.#watchers.get(project_id) ?? []) if (data.user_id === user_id) return true
    return false
  }

  join(socket: Watcher, project_id: string): void {
    const watchers = this.#watchers.get(project_id)
    if (watchers) watchers.add(socket)
    else this.#watchers.set(project_id, new Set([socket]))
    lineOf(socket)?.subscribe(topicOf(project_id))
  }

  leave(socket: Watcher, project_id: string): void {
    const watchers = this.#watchers.get(project_id)
    if (!watchers?.delete(socket)) return
    if (watchers.size === 0) this.#watchers.delete(project_id)
    lineOf(socket)?.unsubscribe(topicOf(project_id))
  }

  /** To all watchers of the project. */
  tell(project_id: string, name: string, body: object): void {
    this.#publish(project_id, packet(name, JSON.stringify(body)))
  }

  /** Notices that are not stored, to all watchers of the project. */
  tellNotice(project_id: string, type: string, data: object): void {
    this.tell(project_id, 'notice', { project_id, type, data })
  }

  /** Each watcher gets the events that are for all, and those for its user. */
  tellEvents(project_id: string, batch: EventBatch): void {
    const { position } = batch
    if (!batch.is_private) {
      this.#publish(project_id, livePacket(project_id, position, batch.json))
      return
    }
    const packets = new Map<string, string | undefined>()
    for (const socket of this.#watchers.get(project_id) ?? []) {
      const { user_id } = socket.data
      if (!packets.has(user_id)) {
        const own = eventsOf(batch, user_id)
        packets.set(user_id, own.length > 0 ? livePacket(project_id, position, `[${own.join(',')}]`) : undefined)
      }
      const text = packets.get(user_id)
      if (text !== undefined) this.#send(socket, text)
    }
  }

  /**
   * Sends a watcher what it missed, in one message. Returns false, and sends nothing, when that is too much for one
   * message.
   */
  catchUp(socket: Watcher, project_id: string, batches: EventBatch[]): boolean {
    const parts = batches.flatMap((batch) => eventsOf(batch, socket.data.user_id))
    if (parts.length === 0) return true
    const text = livePacket(project_id, batches.at(-1)!.position, `[${parts.join(',')}]`)
    if (Buffer.byteLength(text) > MAX_MISSED_BYTES) return false
    this.#send(socket, text)
    return true
  }

  tellOne(socket: Watcher, name: string, body: object): void {
    this.#send(socket, packet(name, JSON.stringify(body)))
  }

  #publish(project_id: string, text: string): void {
    this.stats.sent += this.watchers(project_id)
    this.#app.publish(topicOf(project_id), text)
  }

  #send(socket: Watcher, text: string): void {
    this.stats.sent++
    lineOf(socket)?.send(text)
  }
}

/** The events of a user as JSON. Each text has one event or more. */
function eventsOf(batch: EventBatch, user_id: string): string[] {
  if (!batch.is_private) return [batch.json.slice(1, -1)]
  return batch.events
    .filter((event) => event.user_id === undefined || event.user_id === user_id)
    .map((event) => JSON.stringify(event))
}

function topicOf(project_id: string): string {
  return `console ${project_id}`
}

function livePacket(project_id: string, position: string, events: string): string {
  return packet('live', `{"project_id":"${project_id}","position":"${position}","events":${events}}`)
}

/** An event of Socket.IO (2) in a message of Engine.IO (4). */
function packet(name: string, json: string): string {
  return `42["${name}",${json}]`
}

/** The web socket below; undefined when it was closed. Its methods throw from then on. */
function lineOf({ conn }: Watcher): uWS.WebSocket<unknown> | undefined {
  if (conn.readyState !== 'open') return undefined
  return (conn.transport as unknown as { socket: uWS.WebSocket<unknown> }).socket
}
