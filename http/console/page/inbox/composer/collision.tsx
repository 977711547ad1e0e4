/** Colleagues at the same ticket: who is replying, and who has answered since the agent began to write. */

import { wordsOf } from '../../crm/preview.ts'
import { templatesOf } from '../../crm/template_texts.ts'
import type { Project } from '../../data/project.ts'
import type { AnyRecord } from '../../records/record.ts'
import { clockTime } from '../../ui/format/format.ts'
import { Avatar } from '../../ui/pictures/avatar.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import type { ComposeProps } from './compose_props.ts'

export function Collision({
  project,
  thread,
  compose,
  others,
  onSeen,
}: ComposeProps & { others: readonly AnyRecord[]; onSeen(): void }) {
  const present = project.presence.value.get(thread.ticket_id) ?? []
  const replying = present.filter(({ user_id, state }) => state === 'replying' && user_id !== project.user._id)
  const last = others.at(-1)
  const overlook = () => {
    compose.overlook()
    onSeen()
  }
  return (
    <div role="status">
      {replying.length > 0 && (
        <p class="composer-bar is-wary">
          {replying.map(({ user_id, full_name }) => (
            <Avatar name={full_name} id={user_id} size="small" key={user_id} />
          ))}
          <span>
            {replying.map(({ user_id, full_name }, at) => (
              <>
                {at > 0 && ' and '}
                <bdi key={user_id}>{full_name}</bdi>
              </>
            ))}{' '}
            {replying.length > 1 ? 'are' : 'is'} replying
          </span>
        </p>
      )}
      {last && (
        <p class="composer-bar is-wary">
          <Icon name="alert" />
          <span class="composer-bar-text">
            <bdi>{nameOfAuthor(project, last)}</bdi> answered at {clockTime(last.created_at)}:{' '}
            <bdi>{wordsOf(last, templatesOf(project))}</bdi>
          </span>
          <button type="button" class="link" onClick={overlook}>
            OK
          </button>
        </p>
      )}
    </div>
  )
}

/** The colleague who wrote a message; programs write, too. */
function nameOfAuthor(project: Project, { meta_data }: AnyRecord) {
  const user = project.definitions.value?.users.find(({ _id }) => _id === meta_data?.agent_id)
  return user?.full_name ?? 'Somebody'
}
