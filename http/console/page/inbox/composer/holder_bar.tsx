/** Says above the field which app holds the conversation, where several apps of the business share it. */

import { holderTexts } from '../../crm/entry/words.ts'
import type { Contact } from '../../records/project_records.ts'
import { useAction } from '../../ui/hooks.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import type { ComposeProps } from './compose_props.ts'

export function HolderBar({ project, thread, compose }: ComposeProps) {
  const contact = thread.contact.value
  const { channel } = compose.channel.value
  const move = async (verb: 'take' | 'release') => {
    await project.api.post(`contacts/${contact!._id}/${verb}-thread`, { channel_id: channel!._id })
    // The button may go away.
    compose.focus()
  }
  const take = useAction(() => move('take'))
  const release = useAction(() => move('release'))
  const held = contact?.threads?.find(({ channel_id }: Contact['threads'][number]) => channel_id === channel?._id)
  if (!held) return null
  const is_ours = held.holder === 'parley'
  const { run, is_busy, fault } = is_ours ? release : take
  return (
    <>
      <p class={is_ours || held.holder === 'nobody' ? 'composer-bar' : 'composer-bar is-wary'} role="status">
        <Icon name="person" /> <span>{holderTexts[held.holder]}</span>{' '}
        <button type="button" class="link" aria-disabled={is_busy} onClick={run}>
          {is_ours ? 'Give back' : 'Take over'}
        </button>
      </p>
      {fault && <Trouble title={is_ours ? 'It was not given back' : 'It was not taken over'} error={fault} />}
    </>
  )
}
