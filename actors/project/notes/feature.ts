/** Notes of people and assistants on contacts and tickets. */
import type { Command, Feature } from '../turn/feature.ts'
import { type CreateNote, createNote } from './create_note.ts'

export const notes = {
  commands: {
    create_note: createNote as Command<CreateNote<'create_note'>>,
    create_note_with_files: createNote as Command<CreateNote<'create_note_with_files'>>,
  },
} satisfies Feature
