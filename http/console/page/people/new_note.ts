/** A note while it is written. */
import type { TargetedEvent } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Project } from '../data/project.ts'
import { useAction } from '../ui/hooks.ts'

/**
 * The state and the handlers of a form for one note. `about` are the ids of its ticket and its contact; `onWritten` comes
 * after the note is stored.
 */
export function useNewNote(
  project: Project,
  about: { ticket_id?: string; chat_user: string },
  onWritten: () => unknown,
) {
  const [content, setContent] = useState('')
  /** The idempotency key: a repeat writes the note once. */
  const key = useRef(crypto.randomUUID())
  const { run, is_busy, fault } = useAction(async () => {
    await project.api.post('crm/notes', { content: content.trim(), ...about }, { key: key.current })
    key.current = crypto.randomUUID()
    setContent('')
    await onWritten()
  })
  const submitted = (event: SubmitEvent) => {
    event.preventDefault()
    if (content.trim() !== '') void run()
  }
  const typed = ({ currentTarget }: TargetedEvent<HTMLTextAreaElement>) => {
    // Another text is another note.
    key.current = crypto.randomUUID()
    setContent(currentTarget.value)
  }
  return { content, submitted, typed, is_busy, fault }
}
