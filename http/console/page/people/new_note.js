/** A note while it is written. */
import { useRef, useState } from 'preact/hooks'
import { useAction } from '../ui/hooks.js'

/**
 * The state and the handlers of a form for one note. `about` are the ids of its ticket and its contact; `onWritten` comes
 * after the note is stored.
 *
 * @param {import('../data/project.js').Project} project
 * @param {{ ticket_id?: string, chat_user: string }} about
 * @param {() => unknown} onWritten
 */
export function useNewNote(project, about, onWritten) {
  const [content, setContent] = useState('')
  /** The idempotency key: a repeat writes the note once. */
  const key = useRef(crypto.randomUUID())
  const { run, is_busy, fault } = useAction(async () => {
    await project.api.post('crm/notes', { content: content.trim(), ...about }, { key: key.current })
    key.current = crypto.randomUUID()
    setContent('')
    await onWritten()
  })
  /** @param {SubmitEvent} event */
  const submitted = (event) => {
    event.preventDefault()
    if (content.trim() !== '') void run()
  }
  /** @param {{ target: HTMLTextAreaElement }} event */
  const typed = ({ target }) => {
    // Another text is another note.
    key.current = crypto.randomUUID()
    setContent(target.value)
  }
  return { content, submitted, typed, is_busy, fault }
}
