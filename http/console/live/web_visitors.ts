/**
 * Visitors of the web chat see that agents write, and what they have read. Nothing is stored: a
 * page of a visitor that misses a mark learns it with its next reading of the history.
 */
import { tellVisitor } from '../../../actors/mod.ts'
import type { Bus, EventBatch, Log } from '../../../runtime/mod.ts'
import { type Database, findReadByAgents, findTicketVisitor, type TicketVisitor } from '../../../storage/mod.ts'
import { photoPath } from '../../server/files/photo_path.ts'
import type { ReadLimiter } from '../../server/limits/read_limiter.ts'
import type { FanOut } from './fan_out.ts'
import type { SaidState } from './project_presence.ts'

/** Pages of visitors forget after eight seconds that an agent writes. */
const REPEATED_MS = 3000

type Options = { bus: Bus; database: Database; read_limiter: ReadLimiter; fan_out: FanOut; log: Log }

/** An agent who writes a reply. `visitor` is undefined until it is found, and for tickets of other channels. */
type Reply = { project_id: string; ticket_id: string; visitor?: TicketVisitor | undefined }

export class WebVisitors {
  readonly #options: Options
  /** Tickets by socket: an agent writes at one at a time. */
  readonly #replies = new Map<string, Reply>()
  readonly #timer: NodeJS.Timeout

  constructor(options: Options) {
    this.#options = options
    this.#timer = setInterval(() => this.#repeat(), REPEATED_MS)
    this.#timer.unref()
  }

  /** The agent of a socket is at a ticket, or has left it. It writes a reply only where it was last said to. */
  replies(socket_id: string, user_id: string, ticket: Omit<Reply, 'visitor'>, state: SaidState): void {
    const known = this.#replies.get(socket_id)
    const is_same = known?.ticket_id === ticket.ticket_id
    if (is_same && state === 'replying') return
    const has_left = state === 'gone' || state === 'away'
    if (known && (is_same || !has_left)) this.#end(socket_id, known)
    if (state !== 'replying') return
    const reply: Reply = { ...ticket }
    this.#replies.set(socket_id, reply)
    void this.#look(async () => {
      const visitor = await this.#find(ticket.project_id, ticket.ticket_id, user_id)
      if (!visitor || this.#replies.get(socket_id) !== reply) return
      reply.visitor = visitor
      this.#tell(visitor, true)
    })
  }

  /** The socket watches the project no more. */
  leave(socket_id: string, project_id: string): void {
    const reply = this.#replies.get(socket_id)
    if (reply?.project_id === project_id) this.#end(socket_id, reply)
  }

  /** Tells visitors how far they were read by agents with a page on this node. */
  received(project_id: string, { events, is_private }: EventBatch): void {
    if (!is_private) return
    for (const { type, data, user_id } of events) {
      if (type !== 'inbox.read' || user_id === undefined || !this.#options.fan_out.isWatching(project_id, user_id))
        continue
      void this.#look(() => this.#tellRead(project_id, (data as { ticket_id: string }).ticket_id, user_id))
    }
  }

  close(): void {
    clearInterval(this.#timer)
    for (const [socket_id, reply] of this.#replies) this.#end(socket_id, reply)
  }

  async #tellRead(project_id: string, ticket_id: string, agent_id: string): Promise<void> {
    const { bus, database, read_limiter } = this.#options
    const visitor = await this.#find(project_id, ticket_id, agent_id)
    if (!visitor) return
    const { channel_id, user_id, chat_user } = visitor
    const last = await read_limiter.run(() => findReadByAgents(database, project_id, chat_user))
    if (last) tellVisitor(bus, { channel_id, user_id, read: { at: last.created_at.toISOString() } })
  }

  #find(project_id: string, ticket_id: string, user_id: string) {
    const { database, read_limiter } = this.#options
    return read_limiter.run(() => findTicketVisitor(database, project_id, ticket_id, user_id))
  }

  #end(socket_id: string, { visitor }: Reply): void {
    this.#replies.delete(socket_id)
    if (visitor) this.#tell(visitor, false)
  }

  #repeat(): void {
    for (const { visitor } of this.#replies.values()) if (visitor) this.#tell(visitor, true)
  }

  #tell({ channel_id, user_id, full_name: name, photo_sha256 }: TicketVisitor, typing: boolean): void {
    const agent = { name, photo_url: photoPath(photo_sha256) }
    tellVisitor(this.#options.bus, { channel_id, user_id, typing: { agent, typing } })
  }

  async #look(act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      this.#options.log.warn({ error: (error as Error).message }, 'telling a visitor about an agent failed')
    }
  }
}
