/** Builds the dead letter that operators see: a message that will not be tried again. */

import { Refusal } from '../refusal.ts'
import type { Entry } from './entry.ts'
import type { DeadLetter } from './pending_turn.ts'

const MAX_ERROR = 4000

export function deadLetter(partition: number, address: string, entry: Entry, error: Error): DeadLetter {
  const text = error instanceof Refusal ? `${error.code}: ${error.message}` : String(error?.stack ?? error)
  return {
    partition,
    address,
    sender: entry.sender ?? null,
    json: JSON.stringify(entry.message),
    // A text column takes neither NUL nor half of a surrogate pair; the length is limited, too.
    error: text.slice(0, MAX_ERROR).replaceAll('\0', '\ufffd').toWellFormed(),
  }
}
