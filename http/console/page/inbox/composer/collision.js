/** Colleagues at the same ticket: who is replying, and who has answered since the agent began to write. */
import { html } from 'htm/preact'
import { Avatar } from '../../ui/avatar.js'
import { clockTime } from '../../ui/format.js'
import { Icon } from '../../ui/icons.js'
import { wordsOf } from '../preview.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */

/**
 * @param {import('./mod.js').ComposeProps & { others: readonly AnyRecord[], onSeen(): void }} props
 */
export function Collision({ project, thread, compose, others, onSeen }) {
  const present = project.presence.value.get(thread.ticket_id) ?? []
  const replying = present.filter(({ user_id, state }) => state === 'replying' && user_id !== project.user._id)
  const last = others.at(-1)
  const overlook = () => {
    compose.overlook()
    onSeen()
  }
  return html`<div role="status">
    ${
      replying.length > 0 &&
      html`<p class="composer-bar is-wary">
        ${replying.map(({ user_id, full_name }) => html`<${Avatar} name=${full_name} id=${user_id} size="small" key=${user_id} />`)}
        <span>${replying.map(({ user_id, full_name }, at) => html`${at > 0 && ' and '}<bdi key=${user_id}>${full_name}</bdi>`)} ${replying.length > 1 ? 'are' : 'is'} replying</span>
      </p>`
    }
    ${
      last &&
      html`<p class="composer-bar is-wary">
        <${Icon} name="alert" />
        <span class="composer-bar-text"><bdi>${nameOfAuthor(project, last)}</bdi> answered at ${clockTime(last.created_at)}: <bdi>${wordsOf(last)}</bdi></span>
        <button type="button" class="link" onClick=${overlook}>OK</button>
      </p>`
    }
  </div>`
}

/**
 * The colleague who wrote a message; programs write, too.
 *
 * @param {import('../../data/project.js').Project} project
 * @param {AnyRecord} message
 */
function nameOfAuthor(project, { meta_data }) {
  const user = project.definitions.value?.users.find(({ _id }) => _id === meta_data?.agent_id)
  return user?.full_name ?? 'Somebody'
}
