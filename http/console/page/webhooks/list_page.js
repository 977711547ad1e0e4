/** The subscriptions of a project. */
import { html } from 'htm/preact'
import { Empty } from '../ui/empty.js'
import { Icon } from '../ui/icons.js'
import { Moment } from '../ui/moment.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { eventsText } from './event_choice.js'
import { ManageButton } from './manage_button.js'
import { webhooksPlace } from './places.js'
import { SigningKeys } from './signing_keys.js'
import { failureText, stateOf } from './words.js'

/** @typedef {import('./webhooks.js').Webhooks} Webhooks */

/**
 * @param {{ webhooks: Webhooks }} props
 */
export function ListPage({ webhooks }) {
  const { may_manage, project_id } = webhooks
  return html`<div class="page">
    <div class="page-head">
      <h1 tabindex="-1">Webhooks</h1>
      <${ManageButton} may_manage=${may_manage} href=${webhooksPlace(project_id, 'new')} class="button primary">
        <${Icon} name="plus" /> New webhook
      <//>
    </div>
    <${Results} webhooks=${webhooks} />
    ${(webhooks.list.value?.length ?? 0) > 0 && html`<${SigningKeys} webhooks=${webhooks} />`}
  </div>`
}

/**
 * @param {{ webhooks: Webhooks }} props
 */
function Results({ webhooks }) {
  const { value, fault } = webhooks.list.state.value
  if (fault) {
    return html`<${Trouble} title="The webhooks could not be loaded" error=${fault} onRetry=${() => webhooks.list.read()} />`
  }
  if (!value) return html`<${Waiting} label="Loading webhooks" rows=${3} />`
  if (value.length === 0) {
    return html`<div class="card">
      <${Empty}
        icon="webhooks"
        title="No webhooks yet"
        text="A webhook sends the events of this project to another program as they happen, signed and with retries. A program behind a firewall fetches them instead."
      >
        ${
          webhooks.may_manage
            ? html`<a class="button primary" href=${webhooksPlace(webhooks.project_id, 'new')}>Create the first one</a>`
            : html`<p class="faint">Creating one needs the permission <code>developer.manage_webhooks</code>.</p>`
        }
      <//>
    </div>`
  }
  return html`<ol class="card webhook-rows">
    ${value.map((webhook) => html`<${Row} webhook=${webhook} project_id=${webhooks.project_id} key=${webhook.id} />`)}
  </ol>`
}

/**
 * @param {{ webhook: import('../../page_types/webhook.ts').Webhook, project_id: string }} props
 */
function Row({ webhook, project_id }) {
  const { id, name, url, events, last_delivery_at, last_error, is_active } = webhook
  const { style, word, text } = stateOf(webhook)
  return html`<li class="webhook-row">
    <div class="webhook-row-name">
      <a id=${id} href=${webhooksPlace(project_id, id)}>${name}</a>
      <p class="faint webhook-url">${url ?? 'Fetched by its receiver'}</p>
    </div>
    <p class="faint webhook-row-events">${eventsText(events)}</p>
    <div class="webhook-row-state"><span class="badge ${style}" title=${text}>${word}</span></div>
    <p class="faint webhook-row-when">
      ${last_delivery_at ? html`<span class="webhook-row-label">Last delivery </span><${Moment} at=${last_delivery_at} />` : 'Nothing delivered yet'}
      ${is_active && last_error !== null && html`<span class="webhook-row-error">${failureText(last_error)}</span>`}
    </p>
  </li>`
}
