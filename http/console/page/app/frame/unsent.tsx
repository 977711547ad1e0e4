/** Messages of the agent that the server does not have, at whatever ticket; the other tabs; and leaving the page. */

import { useEffect } from 'preact/hooks'
import { inboxPlace } from '../../crm/inbox_places.ts'
import { wordsOf } from '../../crm/preview.ts'
import { errorText } from '../../data/errors.ts'
import type { KeptEntry } from '../../data/outbox/entry.ts'
import type { Outboxes } from '../../data/outbox/outboxes.ts'
import { words } from '../../data/outbox/words.ts'
import { Popover } from '../../ui/overlays/popover.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'

export function Unsent({ outboxes }: { outboxes: Outboxes }) {
  useEffect(() => {
    const hear = (event: StorageEvent) => outboxes.hear(event)
    // On whatever page of the console: nobody sends it while no page is open.
    const ask = (event: BeforeUnloadEvent) => outboxes.sending_count > 0 && event.preventDefault()
    addEventListener('storage', hear)
    addEventListener('beforeunload', ask)
    return () => {
      removeEventListener('storage', hear)
      removeEventListener('beforeunload', ask)
    }
  }, [outboxes])
  // What is under way is there in a moment.
  const unsent = outboxes.unsent.value.filter(({ state }) => state !== 'sending')
  if (unsent.length === 0) return <p class="unsent" role="status"></p>
  const text = words.unsent(unsent.length)
  return (
    <div class="unsent" role="status">
      <Popover
        id="unsent"
        button={
          <>
            <Icon name="alert" /> <span>{text}</span>
          </>
        }
        class="quiet"
        panel_label={words.title}
        side="above"
      >
        {(close) => (
          <div class="unsent-panel">
            <h2>{words.title}</h2>
            <p class="faint">{words.hint}</p>
            <ul>
              {unsent.map((entry) => (
                <One entry={entry} outboxes={outboxes} close={close} key={entry.client_id} />
              ))}
            </ul>
          </div>
        )}
      </Popover>
    </div>
  )
}

function One({ entry, outboxes, close }: { entry: KeptEntry; outboxes: Outboxes; close(): void }) {
  const { project_id, ticket_id, client_id, kind, request, name, fault } = entry
  const text = kind === 'note' ? request.content : wordsOf({ ...request, type: request.message.type })
  return (
    <li>
      <a href={inboxPlace(project_id, { view: 'all', ticket_id })} onClick={close}>
        <b>
          <bdi>{name ?? words.somebody}</bdi>
        </b>{' '}
        <span class="unsent-text" dir="auto">
          {text}
        </span>
      </a>
      {fault && (
        <p class="faint">
          {errorText(fault)}
          <button type="button" class="link" onClick={() => outboxes.of(project_id, ticket_id).discard(client_id)}>
            {words.discard}
          </button>
        </p>
      )}
    </li>
  )
}
