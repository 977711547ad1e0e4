/** A message of the outbox, as it is read back: committed, and perhaps not applied yet. */
export type OutboxRow = {
  source: number
  number: number
  address: string
  sender: string | null
  message: { type: string }
  /** Characters of the message as JSON. */
  size: number
}
