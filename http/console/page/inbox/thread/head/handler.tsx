/** Gives the ticket to an assistant. The composer says when one has it. */

import { useEffect } from 'preact/hooks'
import { toastRefused } from '../../../crm/record/refused.ts'
import { assistantsOf } from '../../../data/assistants.ts'
import { Menu } from '../../../ui/overlays/menu.tsx'
import { Icon } from '../../../ui/pictures/icons.tsx'
import type { ThreadProps } from '../thread_props.ts'

export function Handler({ project, thread }: Pick<ThreadProps, 'project' | 'thread'>) {
  const ticket = thread.ticket.value
  const assistants = assistantsOf(project)
  const is_free = ticket !== undefined && !ticket.is_closed && ticket.handled_by !== 'assistant'
  useEffect(() => {
    if (is_free) assistants.list()
  }, [is_free, assistants])
  const give = (assistant_id: string) =>
    thread.changes
      .turn('hand-back', { assistant_id }, { handled_by: 'assistant' })
      .catch((fault) => toastRefused(project.id, 'ticket', 'whose turn it is', fault))
  const items = (assistants.active.value ?? []).map(({ _id, name }) => ({
    text: `Let ${name} answer`,
    act: () => void give(_id),
  }))
  if (!is_free || items.length === 0) return null
  return (
    <Menu
      id="handler"
      label="Let an assistant answer"
      title="Let an assistant answer"
      class="quiet icon-button"
      button={<Icon name="message" />}
      items={items}
    />
  )
}
