/**
 * The texts of an agent for one ticket: the reply and the note, with files and the quoted message. It stays while other
 * tickets are shown, and is kept on the server as drafts. No DOM.
 */

import { batch, computed, type Signal, signal } from '@preact/signals'
import type { Project } from '../../data/project.ts'
import type { DraftKind as Mode } from '../../records/inbox_records.ts'
import type { ProjectEvent } from '../../records/live.ts'
import type { AnyRecord } from '../../records/record.ts'
import type { Thread } from '../thread/conversation/thread.ts'
import { addressOf, channelFor, FILES_OF_NOTES, MAX_CAPTION } from './channel_rules.ts'
import { type DraftContent, DraftKeeper } from './draft.ts'
import { Files, type Upload } from './files/files.ts'
import { SuggestedReply } from './suggested/suggested_reply.ts'
import { mentionsIn } from './triggers.ts'

export class Compose {
  readonly thread: Thread
  /** The channel to write on, and those to choose from. */
  readonly channel

  readonly suggested: SuggestedReply
  mode = signal<Mode>('reply')
  texts = { reply: signal(''), note: signal('') }
  /** The message that is answered. */
  quote: Signal<string | null> = signal(null)
  /** State of the drafts. */
  saved = signal<'saving' | 'saved' | 'unsaved' | null>(null)
  /** The channel that the agent chose, where there are several. */
  chosen_channel_id = signal<string | undefined>(undefined)
  /** The time at which the agent began to write the reply; null while it is empty. */
  began_at = signal<string | null>(null)
  /** Counts the requests for the focus. */
  focused = signal(0)
  #project
  #files
  #drafts

  constructor(project: Project, thread: Thread, upload?: Upload) {
    this.#project = project
    this.thread = thread
    this.suggested = new SuggestedReply(project.api, thread.ticket_id, {
      read: () => this.texts.reply.peek(),
      write: (text, began_at) => {
        this.mode.value = 'reply'
        this.write(text, began_at)
        this.focus()
      },
      now: () => this.#now(),
    })
    const channel = computed(() => {
      const { definitions, records } = project
      const last = this.thread.entries.value.findLast(({ kind }) => kind === 'message')
      const last_channel_id = last && records.get('message', last.id)?.channel_id
      return channelFor(definitions.value, this.thread.contact.value, last_channel_id, this.chosen_channel_id.value)
    })
    this.channel = channel
    this.#files = {
      reply: new Files({ project, channel: () => channel.peek().channel, upload, onChange: () => this.#keep('reply') }),
      note: new Files({
        project,
        channel: () => FILES_OF_NOTES,
        purpose: 'note',
        upload,
        onChange: () => this.#keep('note'),
      }),
    }
    const common = { api: project.api, ticket_id: thread.ticket_id }
    const onSaved = (state: 'saving' | 'saved' | 'unsaved') => {
      this.saved.value = state
    }
    this.#drafts = {
      reply: new DraftKeeper({ ...common, kind: 'reply', onContent: (draft) => this.#show('reply', draft), onSaved }),
      note: new DraftKeeper({ ...common, kind: 'note', onContent: (draft) => this.#show('note', draft), onSaved }),
    }
    void this.#drafts.reply.load()
    void this.#drafts.note.load()
  }

  get text() {
    return this.texts[this.mode.value].value
  }

  /** True when there is something to send. */
  get is_filled() {
    return this.text.trim() !== '' || this.files.entries.value.length > 0
  }

  /** The files of what is written now. */
  get files(): Files {
    return this.#files[this.mode.value]
  }

  /** Asks for the focus. */
  focus() {
    this.focused.value++
  }

  /** `since`: the time from which the text answers, where it is earlier than that at which the agent began. */
  write(text: string, since = this.#now()) {
    const mode = this.mode.peek()
    this.texts[mode].value = text
    if (mode === 'reply') {
      const began_at = this.began_at.peek()
      this.began_at.value = text === '' ? null : began_at !== null && began_at < since ? began_at : since
    }
    this.#keep(mode)
  }

  answer(message_id: string | null) {
    this.quote.value = message_id
    this.#keep('reply')
  }

  /**
   * The requests that the reply makes. A text goes along with the first file as its caption where it can, and before the
   * files otherwise.
   *
   * @returns messages
   */
  messages(): AnyRecord[] {
    const text = this.texts.reply.peek().trim()
    const files = this.#files.reply.entries.peek().map((entry) => this.#files.reply.messageOf(entry))
    const { has_captions = true } = this.channel.peek().channel?.composing ?? {}
    const first = files[0]
    const is_caption =
      has_captions && first && ['image', 'video', 'document'].includes(first.type) && [...text].length <= MAX_CAPTION
    if (text === '') return files
    if (is_caption) return [{ ...first, caption: text }, ...files.slice(1)]
    return [{ type: 'text', body: text }, ...files]
  }

  /** The body of a send, to the contact on the channel. */
  requestOf(message: AnyRecord, quote: string | null = null) {
    const contact = this.thread.contact.peek()
    const { channel } = this.channel.peek()
    return {
      channel: contact?.channel_type,
      to: contact && addressOf(contact),
      ...(channel && { channel_id: channel._id }),
      message,
      ...(quote && { context: { message_id: quote } }),
    }
  }

  /** Sends the reply, or writes the note. It is shown in the thread at once, with a Retry if it fails. */
  async send() {
    if (this.mode.peek() === 'note') {
      const files = this.#files.note.stored()
      // A note has a text: files alone are named.
      const content = this.texts.note.peek().trim() || files.map(({ filename }) => filename).join('\n')
      const mentions = mentionsIn(content, this.#project.definitions.peek()?.users ?? [])
      this.clear('note')
      await this.thread.outgoing.writeNote(content, {
        ...(mentions.length > 0 && { mentions }),
        ...(files.length > 0 && { media_ids: files.map(({ media_id }) => media_id) }),
      })
      return
    }
    const quote = this.quote.peek()
    const draft = this.texts.reply.peek()
    const requests = this.messages().map((message, at) => this.requestOf(message, at === 0 ? quote : null))
    this.clear('reply')
    await Promise.all(requests.map((request) => this.thread.outgoing.send(request, draft)))
  }

  /** Sends a message made in a form. */
  sendMessage(message: AnyRecord) {
    const quote = this.quote.peek()
    this.answer(null)
    return this.thread.outgoing.send(this.requestOf(message, quote))
  }

  /**
   * Sends later: the reply, or a message made in a form.
   *
   * @throws ApiError nothing is cleared then
   */
  async sendLater({
    send_at,
    cancel_if_answered,
    message,
  }: {
    send_at: Date
    cancel_if_answered: boolean
    message?: AnyRecord
  }) {
    const quote = this.quote.peek()
    const messages = message ? [message] : this.messages()
    for (const [at, one] of messages.entries()) {
      const { channel, to, ...request } = this.requestOf(one, at === 0 ? quote : null)
      // A second apart, so that they arrive in this order.
      const moment = new Date(send_at.getTime() + 1000 * at).toISOString()
      await this.#project.api.post(
        `inbox/tickets/${this.thread.ticket_id}/scheduled_messages`,
        { ...request, send_at: moment, cancel_if_answered, meta_data: { agent_id: this.#project.user._id } },
        { key: crypto.randomUUID() },
      )
    }
    if (message) this.answer(null)
    else this.clear('reply')
  }

  clear(mode: Mode) {
    batch(() => {
      this.texts[mode].value = ''
      this.#files[mode].clear()
      if (mode !== 'reply') return
      this.suggested.dismiss()
      this.quote.value = null
      this.began_at.value = null
    })
    this.#drafts[mode].clear()
  }

  /** Messages of others that went to the person since the agent began to write. */
  answersOfOthers(): AnyRecord[] {
    const began_at = this.began_at.value
    if (began_at === null) return []
    const { records, user } = this.#project
    return this.thread.entries.value
      .filter(({ kind, at }) => kind === 'message' && at > began_at)
      .flatMap(({ id }) => records.get('message', id) ?? [])
      .filter(({ direction, meta_data }) => direction === 'outbound' && meta_data?.agent_id !== user._id)
  }

  /** The agent has seen the answers of others. */
  overlook() {
    this.began_at.value = this.#now()
  }

  /** Saves at once what is not saved. */
  flush() {
    this.#drafts.reply.flush()
    this.#drafts.note.flush()
  }

  hear(events: readonly ProjectEvent[]) {
    for (const event of events) {
      this.#drafts.reply.hear(event)
      this.#drafts.note.hear(event)
    }
  }

  /**
   * The time as the thread has it: after its last entry, whatever the clock of this machine says.
   */
  #now() {
    return this.thread.entries.peek().at(-1)?.at ?? new Date(0).toISOString()
  }

  #keep(mode: Mode) {
    const content = this.texts[mode].peek()
    const quote = mode === 'reply' ? this.quote.peek() : null
    const attachments = this.#files[mode].stored()
    this.#drafts[mode].change({ content, attachments, context: quote ? { reply_to: quote } : null })
  }

  #show(mode: Mode, { content, attachments, context }: DraftContent) {
    batch(() => {
      this.texts[mode].value = content
      this.#files[mode].restore(attachments)
      if (mode === 'note') return
      const quote = context?.reply_to
      this.quote.value = typeof quote === 'string' ? quote : null
      this.began_at.value = content === '' ? null : (this.began_at.peek() ?? this.#now())
    })
  }
}
