/** Notes of people and assistants on contacts and tickets. */
import type { Command, Feature } from '../turn/feature.ts'
import { type CreateNote, createNote } from './create_note.ts'

/** The command under one of its names. */
type CommandOf<Type extends string> = Omit<Command<CreateNote<Type>>, 'run'> & {
  run(...args: Parameters<Command<CreateNote<Type>>['run']>): ReturnType<typeof createNote.run>
}

export const notes = {
  commands: {
    create_note: createNote as CommandOf<'create_note'>,
    create_note_with_files: createNote as CommandOf<'create_note_with_files'>,
  },
} satisfies Feature
