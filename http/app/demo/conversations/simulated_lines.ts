/** Lines over the provider simulator: its control API says what people write, and lists what was sent to them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Heard, Line, Said } from './line.ts'
import { type PersonDescription, PHONE_PREFIX } from './people.ts'

type Sent = { sequence: number; id: string; channel: string; recipient: string; type: string }

const LOOK_MS = 300
/** Messages read at a time. */
const AT_ONCE = 200

export class SimulatedLines {
  readonly #url: string
  readonly #people = new Map<string, { heard: Heard; unread: string[] }>()
  #after = 0

  constructor(simulator_url: string) {
    this.#url = `${simulator_url}/_control`
  }

  /** Looks for messages to the people until the signal is aborted. */
  async listen(signal: AbortSignal, failed: (error: Error) => void): Promise<void> {
    // People read when they look, and not at once, where the simulator lets them.
    for (const match of [{ channel: 'whatsapp', recipient: `${PHONE_PREFIX}*` }, { channel: 'instagram' }])
      await this.#call('POST', '/faults', { match, statuses: { skip: ['read'] } })
    this.#after = (await this.#sent()).at(-1)?.sequence ?? 0
    while (!signal.aborted) {
      try {
        for (const { sequence, channel, recipient, id } of await this.#sent()) {
          this.#after = sequence
          const person = this.#people.get(`${channel} ${recipient}`)
          person?.unread.push(id)
          person?.heard()
        }
      } catch (error) {
        failed(error as Error)
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** The line of a person. */
  open({ channel, from, name }: PersonDescription, heard: Heard): Line {
    const person = { heard, unread: [] as string[] }
    this.#people.set(`${channel} ${from}`, person)
    const inbound = (message: unknown) => this.#call('POST', '/inbound', { channel, from, name, message })
    return {
      say: async (said) => {
        const { webhook } = (await inbound(messageOf(channel, said))) as { webhook: { status: number | null } }
        if (webhook.status !== 200) throw new Error(`Parley answered a message of ${name} with ${webhook.status}`)
      },
      read: async () => {
        const unread = person.unread.splice(0)
        if (channel === 'whatsapp')
          for (const message_id of unread) await this.#call('POST', '/statuses', { message_id, status: 'read' })
        else if (channel === 'instagram' && unread.length > 0) await inbound({ read: { mid: unread.at(-1) } })
      },
    }
  }

  async #sent(): Promise<Sent[]> {
    const { data } = (await this.#call('GET', `/sent?after=${this.#after}&limit=${AT_ONCE}`)) as { data: Sent[] }
    return data
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.#url + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const answer = (await response.json()) as { error?: { message: string } }
    if (answer.error) throw new Error(`the simulator refused: ${answer.error.message}`)
    return answer
  }
}

/** The message in the format of the channel. Where the simulator has no files, the person writes the text alone. */
function messageOf(channel: string, said: Said): unknown {
  const { text } = said
  if (channel === 'email') return { subject: text.slice(0, 40), text }
  if (said.kind === 'text') return text
  const data = said.bytes.toString('base64')
  if (channel === 'telegram')
    return said.kind === 'picture'
      ? { photo: { data }, caption: text }
      : { document: { data, file_name: said.filename }, caption: text }
  if (channel !== 'whatsapp') return text
  return said.kind === 'picture'
    ? { type: 'image', image: { data, mime_type: 'image/png', caption: text } }
    : { type: 'document', document: { data, mime_type: 'application/pdf', filename: said.filename, caption: text } }
}
