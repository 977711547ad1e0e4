/** A message within a thread: its content, its time, its status, and what to do when it failed. */

import { useState } from 'preact/hooks'
import { origins, words } from '../../../crm/entry/words.ts'
import { WITHDRAWN } from '../../../crm/preview.ts'
import { Ticks } from '../../../crm/ticks.tsx'
import { errorText, faultOf } from '../../../data/errors.ts'
import type { Pending } from '../../../data/outbox/entry.ts'
import { words as outbox_words } from '../../../data/outbox/words.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { clockTime, exactly } from '../../../ui/format/format.ts'
import { useAction } from '../../../ui/hooks.ts'
import { memo } from '../../../ui/memo.tsx'
import { toastFault } from '../../../ui/overlays/toast.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import type { Inbox } from '../../inbox.ts'
import { Content } from '../content/content.tsx'
import { retryMessage } from '../conversation/requests.ts'
import type { Thread } from '../conversation/thread.ts'
import { ByAssistant } from './by_assistant.tsx'
import { MessageTools } from './message_tools.tsx'
import { Above, Below } from './surroundings.tsx'

/** Messages of one side within this time belong together. */
const TOGETHER_MS = 5 * 60_000

export const Message = memo(
  ({
    message,
    previous,
    project,
    thread,
    inbox,
  }: {
    message: AnyRecord
    previous: AnyRecord | undefined
    project: Project
    thread: Thread
    inbox: Inbox
  }) => {
    const { id, direction, created_at, status, edited_at, deleted_at, imported_at, origin } = message
    const is_together =
      previous?.direction === direction && Date.parse(created_at) - Date.parse(previous.created_at) < TOGETHER_MS
    const reactions = thread.reactions.value.of.get(id)
    // Messages of programs have no author.
    const author = project.definitions.value?.users.find(({ _id }) => _id === message.meta_data?.agent_id)
    const who =
      direction === 'inbound'
        ? 'The person'
        : message.assistant_id
          ? 'An assistant'
          : origin === 'meta_agent'
            ? 'Meta’s agent'
            : 'You or a colleague'
    return (
      <article
        id={id}
        class={`inbox-message is-${direction} ${is_together ? 'is-together' : ''} ${status === 'failed' ? 'is-failed' : ''}`}
      >
        <span class="aside">
          {who}, {clockTime(created_at)}:
        </span>
        <div class="inbox-line">
          <div class="inbox-bubble">
            <Above message={message} project={project} thread={thread} />
            {deleted_at ? (
              <p class="inbox-withdrawn" title={exactly(deleted_at)}>
                {WITHDRAWN}
              </p>
            ) : (
              <>
                <Content message={message} project={project} />
                <Below content={message.message ?? {}} />
              </>
            )}
            <p class="inbox-meta">
              {edited_at && !deleted_at && (
                <>
                  <span title={exactly(edited_at)}>Edited</span> ·
                </>
              )}
              {message.message?.group_id && (
                <>
                  <span title={words.in_group_title}>{words.in_group}</span> ·
                </>
              )}
              {origin && (
                <>
                  <span title="Not written through Parley">{origins[origin] ?? origin}</span> ·
                </>
              )}
              {imported_at && (
                <>
                  <span title={`${words.imported_title} ${exactly(imported_at)}`}>{words.imported}</span> ·
                </>
              )}
              {message.assistant_id && <ByAssistant message={message} project={project} thread={thread} />}
              {author && (
                <>
                  <bdi>{author.full_name}</bdi> ·
                </>
              )}
              <time datetime={created_at} title={exactly(created_at)}>
                {clockTime(created_at)}
              </time>
              {direction === 'outbound' && <Ticks status={status} />}
            </p>
            {reactions && (
              <p class="inbox-reactions">
                <span class="aside">Reactions:</span>{' '}
                {reactions.map(({ emoji, direction }) => (
                  <span title={direction === 'inbound' ? 'The person' : 'Your side'} key={direction}>
                    {emoji}
                  </span>
                ))}
              </p>
            )}
          </div>
          {!deleted_at && !message.message?.group_id && (
            <MessageTools message={message} project={project} thread={thread} inbox={inbox} reactions={reactions} />
          )}
        </div>
        {isTrouble(message) && <Trouble message={message} project={project} />}
      </article>
    )
  },
)

/** True for a message of our side that failed, or whose outcome is unknown. */
function isTrouble({ status, direction, confirmed }: AnyRecord) {
  return direction === 'outbound' && (status === 'failed' || (status === 'sent' && confirmed === false))
}

/** The reason, and a button that sends the message again. */
function Trouble({
  message: { id, status, error, retried_as, origin },
  project,
}: {
  message: AnyRecord
  project: Project
}) {
  const [is_sent, setSent] = useState(false)
  const again = useAction(async () => {
    try {
      await retryMessage(project.api, id)
      setSent(true)
    } catch (refused) {
      toastFault('The message was not sent again', faultOf(refused))
    }
  })
  return (
    <p class="inbox-failure">
      <Icon name="alert" />
      {status === 'failed' ? (
        <span>
          {error?.message ?? 'The message was not delivered.'} {error?.code && <code>{String(error.code)}</code>}
        </span>
      ) : (
        <span>The provider did not say whether it took this message. Sent again, it may arrive twice.</span>
      )}
      {is_sent || retried_as ? (
        <span class="faint">Sent again</span>
      ) : origin ? null : (
        <button type="button" class="link" disabled={again.is_busy} onClick={again.run}>
          {again.is_busy ? 'Sending…' : status === 'failed' ? 'Retry' : 'Send again'}
        </button>
      )}
    </p>
  )
}

/** A message that is being sent, before the server's record takes its place. */
export function PendingEntry({
  pending: { client_id, kind, request, at, state, fault },
  project,
  thread,
}: {
  pending: Pending
  project: Project
  thread: Thread
}) {
  const content =
    kind === 'note' ? (
      <p class="inbox-text">{request.content}</p>
    ) : (
      <Content
        message={{
          ...request,
          channel: thread.contact.value?.channel_type,
          type: request.message.type,
          direction: 'outbound',
        }}
        project={project}
      />
    )
  return (
    <article
      class={`inbox-message is-outbound is-pending ${kind === 'note' ? 'is-note' : ''} ${state === 'failed' ? 'is-failed' : ''}`}
    >
      <div class="inbox-bubble">
        {content}
        <p class="inbox-meta">
          <time datetime={at}>{clockTime(at)}</time> <Ticks status={state === 'failed' ? 'failed' : 'sending'} />
          {state === 'waiting' && <span>{outbox_words.waiting}</span>}
        </p>
      </div>
      {state === 'failed' && fault && (
        <p class="inbox-failure" role="alert">
          <Icon name="alert" /> <span>{errorText(fault)}</span>
          <button type="button" class="link" onClick={() => thread.outgoing.sendAgain(client_id)}>
            Retry
          </button>
          <button type="button" class="link" onClick={() => thread.outgoing.discard(client_id)}>
            Discard
          </button>
        </p>
      )}
    </article>
  )
}
