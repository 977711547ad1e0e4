/** The subscriptions of a project. */

import type { Webhook } from '../records/webhook.ts'
import { Moment } from '../ui/format/moment.tsx'
import { Icon } from '../ui/pictures/icons.tsx'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { eventsText } from './event_choice.ts'
import { ManageButton } from './manage_button.tsx'
import { webhooksPlace } from './places.ts'
import { SigningKeys } from './signing_keys.tsx'
import type { Webhooks } from './webhooks.ts'
import { failureText, stateOf } from './words.ts'

export function ListPage({ webhooks }: { webhooks: Webhooks }) {
  const { may_manage, project_id } = webhooks
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabindex={-1}>Webhooks</h1>
        <ManageButton may_manage={may_manage} href={webhooksPlace(project_id, 'new')} class="button primary">
          <Icon name="plus" /> New webhook
        </ManageButton>
      </div>
      <Results webhooks={webhooks} />
      {(webhooks.list.value?.length ?? 0) > 0 && <SigningKeys webhooks={webhooks} />}
    </div>
  )
}

function Results({ webhooks }: { webhooks: Webhooks }) {
  const { value, fault } = webhooks.list.state.value
  if (fault) {
    return <Trouble title="The webhooks could not be loaded" error={fault} onRetry={() => webhooks.list.read()} />
  }
  if (!value) return <Waiting label="Loading webhooks" rows={3} />
  if (value.length === 0) {
    return (
      <div class="card">
        <Empty
          icon="webhooks"
          title="No webhooks yet"
          text="A webhook sends the events of this project to another program as they happen, signed and with retries. A program behind a firewall fetches them instead."
        >
          {webhooks.may_manage ? (
            <a class="button primary" href={webhooksPlace(webhooks.project_id, 'new')}>
              Create the first one
            </a>
          ) : (
            <p class="faint">
              Creating one needs the permission <code>developer.manage_webhooks</code>.
            </p>
          )}
        </Empty>
      </div>
    )
  }
  return (
    <ol class="card webhook-rows">
      {value.map((webhook) => (
        <Row webhook={webhook} project_id={webhooks.project_id} key={webhook.id} />
      ))}
    </ol>
  )
}

function Row({ webhook, project_id }: { webhook: Webhook; project_id: string }) {
  const { id, name, url, events, last_delivery_at, last_error, is_active } = webhook
  const { style, word, text } = stateOf(webhook)
  return (
    <li class="webhook-row">
      <div class="webhook-row-name">
        <a id={id} href={webhooksPlace(project_id, id)}>
          {name}
        </a>
        <p class="faint webhook-url">{url ?? 'Fetched by its receiver'}</p>
      </div>
      <p class="faint webhook-row-events">{eventsText(events)}</p>
      <div class="webhook-row-state">
        <span class={`badge ${style}`} title={text}>
          {word}
        </span>
      </div>
      <p class="faint webhook-row-when">
        {last_delivery_at ? (
          <>
            <span class="webhook-row-label">Last delivery </span>
            <Moment at={last_delivery_at} />
          </>
        ) : (
          'Nothing delivered yet'
        )}
        {is_active && last_error !== null && <span class="webhook-row-error">{failureText(last_error)}</span>}
      </p>
    </li>
  )
}
