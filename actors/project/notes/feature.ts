/** Notes of people and assistants on contacts and tickets. */
import type { Feature } from '../turn/feature.ts'
import { createNote } from './create_note.ts'

export const notes = {
  commands: { create_note: createNote },
} satisfies Feature
