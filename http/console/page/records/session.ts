/** The session of the user who is signed in. */
import type { Session } from './generated.ts'

export type { Session } from './generated.ts'

export type Named = Session['company']
