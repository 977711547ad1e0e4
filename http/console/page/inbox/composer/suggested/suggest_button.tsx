/** Lets an assistant suggest a reply. */

import { assistantsOf } from '../../../data/assistants.ts'
import { useActions } from '../../../ui/actions.ts'
import { Menu } from '../../../ui/overlays/menu.tsx'
import { Icon } from '../../../ui/pictures/icons.tsx'
import type { ComposeProps } from '../compose_props.ts'

/** The thread lists the assistants. */
export function SuggestButton({ project, compose }: Pick<ComposeProps, 'project' | 'compose'>) {
  const assistants = assistantsOf(project).active.value ?? []
  const is_asking = compose.suggested.state.value?.kind === 'asking'
  const items = assistants.map(({ _id, name }) => ({
    text: `Suggest a reply by ${name}`,
    act: () => void compose.suggested.ask({ _id, name }),
  }))
  useActions(() => items.map((item) => ({ ...item, group: 'Ticket', icon: 'spark' as const })), [compose, assistants])
  const [only, another] = items
  if (!only) return null
  if (another) {
    return (
      <Menu
        id="composer-suggest"
        label="Suggest a reply"
        title="Let an assistant suggest a reply"
        side="above"
        class="quiet icon-button"
        button={<Icon name="spark" />}
        items={items}
      />
    )
  }
  return (
    <button
      type="button"
      class="quiet icon-button"
      aria-label="Suggest a reply"
      title={only.text}
      aria-disabled={is_asking}
      onClick={is_asking ? undefined : only.act}
    >
      <Icon name="spark" />
    </button>
  )
}
