/** The set-up of a project by its operators: all choices of the page. */
import type { Definitions } from './generated.ts'

export type { Definitions } from './generated.ts'

type Answered = Definitions['channels'][number]['composing']

/** Limits of messages on a channel. `message_types`: how each type arrives; one that is not here cannot be sent. */
export type Composing = Omit<Answered, 'message_types'> & { message_types: Partial<Record<string, string>> }
