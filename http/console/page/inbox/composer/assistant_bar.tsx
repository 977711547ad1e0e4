/** Says above the field that an assistant answers the person, and takes the ticket over. */

import { toastRefused } from '../../crm/record/refused.ts'
import { assistantsOf } from '../../data/assistants.ts'
import type { Project } from '../../data/project.ts'
import { useActions } from '../../ui/actions.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { Thread } from '../thread/conversation/thread.ts'
import type { ComposeProps } from './compose_props.ts'

export function AssistantBar({ project, thread, compose }: ComposeProps) {
  const is_held = thread.ticket.value?.handled_by === 'assistant'
  const take = async (user_id?: null) => {
    const handled_by = user_id === null ? 'nobody' : 'person'
    try {
      await thread.changes.turn('take-over', user_id === null ? { user_id } : {}, { handled_by })
      // The buttons go away.
      compose.focus()
    } catch (fault) {
      toastRefused(project.id, 'ticket', 'whose turn it is', fault as Error)
    }
  }
  useActions(
    () =>
      is_held
        ? [{ text: 'Take the ticket over', group: 'Ticket', icon: 'person' as const, act: () => void take() }]
        : [],
    [thread, is_held],
  )
  if (!is_held) return null
  return (
    <p class="composer-bar" role="status">
      <Icon name="message" /> <Says project={project} thread={thread} />{' '}
      <button type="button" class="link" onClick={() => take()}>
        Take over
      </button>{' '}
      <button type="button" class="link" title="The assistant stops, and nobody is assigned" onClick={() => take(null)}>
        Pause
      </button>
    </p>
  )
}

function Says({ project, thread: { assistant } }: { project: Project; thread: Thread }) {
  const id = assistant.assistant_id.value
  if (!assistant.is_typing.value || id === null) return <span>An assistant answers this person, until you do.</span>
  return (
    <span>
      <bdi>{assistantsOf(project).nameOf(id) ?? 'An assistant'}</bdi> is writing…
    </span>
  )
}
