/** A message within a thread: its content, its time, its status, and what to do when it failed. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { errorText, faultOf } from '../../data/errors.js'
import { words as outbox_words } from '../../outbox/words.js'
import { clockTime, exactly } from '../../ui/format.js'
import { useAction } from '../../ui/hooks.js'
import { Icon } from '../../ui/icons.js'
import { memo } from '../../ui/memo.js'
import { toastFault } from '../../ui/toast.js'
import { WITHDRAWN } from '../preview.js'
import { Ticks } from '../ticks.js'
import { Content } from './content.js'
import { MessageTools } from './message_tools.js'
import { retryMessage } from './requests.js'
import { Above, Below } from './surroundings.js'
import { words } from './words.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../../data/project.js').Project} Project */
/** @typedef {import('./thread.js').Thread} Thread */

/** Messages of one side within this time belong together. */
const TOGETHER_MS = 5 * 60_000

export const Message = memo(
  /** @param {{ message: AnyRecord, previous: AnyRecord | undefined, project: Project, thread: Thread, inbox: import('../inbox.js').Inbox }} props */
  ({ message, previous, project, thread, inbox }) => {
    const { id, direction, created_at, status, edited_at, deleted_at } = message
    const is_together =
      previous?.direction === direction && Date.parse(created_at) - Date.parse(previous.created_at) < TOGETHER_MS
    const reactions = thread.reactions.value.of.get(id)
    // Messages of programs have no author.
    const author = project.definitions.value?.users.find(({ _id }) => _id === message.meta_data?.agent_id)
    const who = direction === 'inbound' ? 'The person' : 'You or a colleague'
    return html`<article
      id=${id}
      class="inbox-message is-${direction} ${is_together ? 'is-together' : ''} ${status === 'failed' ? 'is-failed' : ''}"
    >
      <span class="aside">${who}, ${clockTime(created_at)}:</span>
      <div class="inbox-line">
      <div class="inbox-bubble">
        <${Above} message=${message} thread=${thread} />
        ${
          deleted_at
            ? html`<p class="inbox-withdrawn" title=${exactly(deleted_at)}>${WITHDRAWN}</p>`
            : html`<${Content} message=${message} project=${project} /><${Below} content=${message.message ?? {}} />`
        }
        <p class="inbox-meta">
          ${edited_at && !deleted_at && html`<span title=${exactly(edited_at)}>Edited</span> ·`}
          ${message.message?.group_id && html`<span title=${words.in_group_title}>${words.in_group}</span> ·`}
          ${author && html`<bdi>${author.full_name}</bdi> ·`}
          <time datetime=${created_at} title=${exactly(created_at)}>${clockTime(created_at)}</time>
          ${direction === 'outbound' && html`<${Ticks} status=${status} />`}
        </p>
        ${reactions && html`<p class="inbox-reactions"><span class="aside">Reactions:</span> ${reactions.map(({ emoji, direction }) => html`<span title=${direction === 'inbound' ? 'The person' : 'Your side'} key=${direction}>${emoji}</span>`)}</p>`}
      </div>
      ${!deleted_at && !message.message?.group_id && html`<${MessageTools} message=${message} project=${project} thread=${thread} inbox=${inbox} reactions=${reactions} />`}
      </div>
      ${isTrouble(message) && html`<${Trouble} message=${message} project=${project} />`}
    </article>`
  },
)

/**
 * True for a message of our side that failed, or whose outcome is unknown.
 *
 * @param {AnyRecord} message
 */
function isTrouble({ status, direction, confirmed }) {
  return direction === 'outbound' && (status === 'failed' || (status === 'sent' && confirmed === false))
}

/**
 * The reason, and a button that sends the message again.
 *
 * @param {{ message: AnyRecord, project: Project }} props
 */
function Trouble({ message: { id, status, error, retried_as }, project }) {
  const [is_sent, setSent] = useState(false)
  const again = useAction(async () => {
    try {
      await retryMessage(project.api, id)
      setSent(true)
    } catch (refused) {
      toastFault('The message was not sent again', faultOf(refused))
    }
  })
  return html`<p class="inbox-failure">
    <${Icon} name="alert" />
    ${
      status === 'failed'
        ? html`<span>${error?.message ?? 'The message was not delivered.'} ${error?.code && html`<code>${String(error.code)}</code>`}</span>`
        : html`<span>The provider did not say whether it took this message. Sent again, it may arrive twice.</span>`
    }
    ${
      is_sent || retried_as
        ? html`<span class="faint">Sent again</span>`
        : html`<button type="button" class="link" disabled=${again.is_busy} onClick=${again.run}>
            ${again.is_busy ? 'Sending…' : status === 'failed' ? 'Retry' : 'Send again'}
          </button>`
    }
  </p>`
}

/**
 * A message that is being sent, before the server's record takes its place.
 *
 * @param {{ pending: import('../../outbox/outbox.js').Pending, project: Project, thread: Thread }} props
 */
export function PendingEntry({ pending: { client_id, kind, request, at, state, fault }, project, thread }) {
  const content =
    kind === 'note'
      ? html`<p class="inbox-text">${request.content}</p>`
      : html`<${Content} message=${{ ...request, channel: thread.contact.value?.channel_type, type: request.message.type, direction: 'outbound' }} project=${project} />`
  return html`<article class="inbox-message is-outbound is-pending ${kind === 'note' ? 'is-note' : ''} ${state === 'failed' ? 'is-failed' : ''}">
    <div class="inbox-bubble">
      ${content}
      <p class="inbox-meta"><time datetime=${at}>${clockTime(at)}</time> <${Ticks} status=${state === 'failed' ? 'failed' : 'sending'} />
        ${state === 'waiting' && html`<span>${outbox_words.waiting}</span>`}</p>
    </div>
    ${
      state === 'failed' &&
      fault &&
      html`<p class="inbox-failure" role="alert">
        <${Icon} name="alert" /> <span>${errorText(fault)}</span>
        <button type="button" class="link" onClick=${() => thread.outgoing.sendAgain(client_id)}>Retry</button>
        <button type="button" class="link" onClick=${() => thread.outgoing.discard(client_id)}>Discard</button>
      </p>`
    }
  </article>`
}
