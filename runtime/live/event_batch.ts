/** The live events of one commit: as a text that is passed on as it is, and as values when somebody asks for them. */

/** `user_id`: the only user who gets the event; all watchers without it. */
export type LiveEvent = { type: string; data: object; user_id?: string }
/** `brief` makes the data that is sent instead where the data is large. */
export type PublishedEvent = LiveEvent & { brief?: () => object }
/** An event as JSON, for the watchers of a channel. */
export type OutgoingEvent = { channel: string; json: string; is_private: boolean }

/** Begins the text of a batch with events of single users. */
const PRIVATE = '!'
/** Maximum characters of a batch, which has one event at least. */
const MAX_CHARACTERS = 256 * 1024

export class EventBatch {
  /** The position after them. */
  readonly position: string
  /** A JSON list. */
  readonly json: string
  /** Some of the events are for single users. */
  readonly is_private: boolean
  #events: LiveEvent[] | undefined

  /** `text` is one that `textsOf` has made. */
  constructor(position: string, text: string) {
    this.position = position
    this.is_private = text.startsWith(PRIVATE)
    this.json = this.is_private ? text.slice(PRIVATE.length) : text
  }

  get events(): LiveEvent[] {
    this.#events ??= JSON.parse(this.json) as LiveEvent[]
    return this.#events
  }
}

/** The texts of batches with these events, each small enough for the broker. */
export function* textsOf(events: readonly Pick<OutgoingEvent, 'json' | 'is_private'>[]): Generator<string> {
  let text = ''
  let is_private = false
  const whole = () => `${is_private ? PRIVATE : ''}[${text}]`
  for (const event of events) {
    if (text !== '' && text.length + event.json.length > MAX_CHARACTERS) {
      yield whole()
      text = ''
      is_private = false
    }
    text += text === '' ? event.json : `,${event.json}`
    is_private ||= event.is_private
  }
  yield whole()
}
