/** One subscription: its state, its settings, and its deliveries. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { useActions } from '../app/actions.js'
import { Copyable } from '../ui/copyable.js'
import { number } from '../ui/format.js'
import { Icon } from '../ui/icons.js'
import { Menu } from '../ui/menu.js'
import { Moment } from '../ui/moment.js'
import { toast, toastFault } from '../ui/toast.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { DeliveriesPart } from './deliveries_part.js'
import { DeleteDialog, RecoverDialog, RotateDialog, TestDialog } from './dialogs.js'
import { ManageButton } from './manage_button.js'
import { webhooksPlace } from './places.js'
import { stateOf } from './words.js'

/** @typedef {import('./webhooks.js').Webhooks} Webhooks */
/** @typedef {import('../../page_types/webhook.ts').Webhook} Webhook */
/** @typedef {'test' | 'recover' | 'rotate' | 'delete'} Question */

/** How long a recovery is shown after its end. */
const RECENT_MS = 3_600_000

const DIALOGS = { test: TestDialog, recover: RecoverDialog, rotate: RotateDialog, delete: DeleteDialog }

/**
 * @param {{ webhooks: Webhooks }} props
 */
export function WebhookPage({ webhooks }) {
  const resource = webhooks.webhook.value
  const webhook = resource?.value
  const fault = resource?.fault
  useEffect(() => webhooks.readTypes(), [webhooks])
  return html`<div class="page">
    <a class="back" href=${webhooksPlace(webhooks.project_id)}><${Icon} name="back" /> Webhooks</a>
    <${Head} webhooks=${webhooks} webhook=${webhook} />
    ${webhook && html`<${State} webhooks=${webhooks} webhook=${webhook} />`}
    ${webhook && html`<${Settings} webhook=${webhook} />`}
    ${webhook && html`<${DeliveriesPart} webhooks=${webhooks} webhook=${webhook} />`}
    ${!webhook && !fault && html`<${Waiting} label="Loading the webhook" rows=${4} />`}
    ${
      !webhook &&
      fault &&
      (fault.status === 404
        ? html`<${Trouble} title="There is no such webhook" error=${fault} />`
        : html`<${Trouble} title="The webhook could not be loaded" error=${fault} onRetry=${() => resource?.read()} />`)
    }
  </div>`
}

/**
 * @param {{ webhooks: Webhooks, webhook: Webhook | undefined }} props
 */
function Head({ webhooks, webhook }) {
  const [question, setQuestion] = useState(/** @type {Question | null} */ (null))
  const { may_manage, project_id } = webhooks
  useActions(() => {
    if (!webhook) return []
    const group = 'Webhook'
    /** @type {import('../app/actions.js').Action[]} */
    const offered = [
      { text: 'Send a test event…', group, icon: 'send', keys: 't', act: () => setQuestion('test') },
      { text: 'Send failed deliveries again…', group, icon: 'refresh', act: () => setQuestion('recover') },
    ]
    if (!may_manage) return offered
    return [
      ...offered,
      {
        text: 'Edit the webhook',
        group,
        icon: 'edit',
        keys: 'e',
        act: () => (location.hash = webhooksPlace(project_id, webhook.id, 'edit')),
      },
      { text: 'Replace the secret…', group, icon: 'lock', act: () => setQuestion('rotate') },
      { text: 'Delete the webhook…', group, icon: 'trash', act: () => setQuestion('delete') },
    ]
  }, [webhook?.id, may_manage])
  const Asked = question && DIALOGS[question]
  const { style = '', word = '' } = webhook ? stateOf(webhook) : {}
  const is_push = webhook?.mode === 'push'
  return html`<div class="page-head">
    <div class="page-name">
      <h1 tabindex="-1" class=${webhook ? 'name' : 'name faint'}>${webhook?.name ?? 'Webhook'}</h1>
      ${webhook && html`<span class="badge ${style}">${word}</span>`}
    </div>
    ${
      webhook &&
      html`<div class="actions">
        <button type="button" class="button" onClick=${() => setQuestion('test')}><${Icon} name="send" /> Test…</button>
        ${is_push && html`<button type="button" class="button" onClick=${() => setQuestion('recover')}><${Icon} name="refresh" /> Recover…</button>`}
        <${ManageButton} may_manage=${may_manage} href=${webhooksPlace(project_id, webhook.id, 'edit')}><${Icon} name="edit" /> Edit<//>
        ${
          may_manage &&
          html`<${Menu}
            id="webhook-more"
            class="button icon-button webhook-more"
            label="More"
            button=${html`<${Icon} name="more" />`}
            items=${[
              webhook.is_active
                ? { text: 'Disable', icon: 'stop', act: () => void turn(webhooks, webhook, false) }
                : { text: 'Enable', icon: 'done', act: () => void turn(webhooks, webhook, true) },
              { text: 'Replace the secret…', icon: 'lock', act: () => setQuestion('rotate') },
              'line',
              { text: 'Delete…', icon: 'trash', is_danger: true, act: () => setQuestion('delete') },
            ]}
          />`
        }
      </div>`
    }
    ${Asked && webhook && html`<${Asked} webhooks=${webhooks} webhook=${webhook} onClose=${() => setQuestion(null)} />`}
  </div>`
}

/**
 * @param {Webhooks} webhooks
 * @param {Webhook} webhook
 * @param {boolean} is_active
 */
async function turn(webhooks, { id, name }, is_active) {
  try {
    webhooks.keep(await webhooks.api.update(id, { is_active }))
    toast(is_active ? `“${name}” is enabled.` : `“${name}” is disabled.`)
  } catch (error) {
    toastFault(`“${name}” was not changed`, /** @type {Error} */ (error))
  }
}

/**
 * Notices about a webhook: why it is disabled, that it fails, or that failed deliveries are being sent again.
 *
 * @param {{ webhooks: Webhooks, webhook: Webhook }} props
 */
function State({ webhooks, webhook }) {
  const { is_active, failure_count } = webhook
  const recovery = isRecent(webhook.recovery) ? webhook.recovery : null
  const { text } = stateOf(webhook)
  const is_running = recovery?.status === 'running'
  if (is_active && failure_count === 0 && !recovery) return null
  return html`<div class="webhook-notes">
    ${
      !is_active &&
      html`<div class="note bad webhook-note">
        <${Icon} name="alert" /> <p>${text}</p>
        ${webhooks.may_manage && html`<button type="button" class="button" onClick=${() => turn(webhooks, webhook, true)}>Enable</button>`}
      </div>`
    }
    ${is_active && failure_count > 0 && html`<div class="note wary webhook-note"><${Icon} name="alert" /> <p>${text}</p></div>`}
    ${
      recovery &&
      html`<div class="note webhook-note" role="status">
        <${Icon} name="refresh" />
        <p>
          ${is_running ? 'Failed deliveries are being sent again' : recovery.status === 'completed' ? 'Failed deliveries were sent again' : 'Sending failed deliveries again was ended'}:
          ${` ${number(recovery.requeued)}${recovery.total === null ? '' : ` of ${number(recovery.total)}`}`}, of those since <${Moment} at=${recovery.since} />.
        </p>
        ${recovery.total ? html`<progress max=${recovery.total} value=${recovery.requeued} aria-label="Sent again"></progress>` : null}
      </div>`
    }
  </div>`
}

/**
 * True for a recovery that is running, or whose end is still of interest.
 *
 * @param {Webhook['recovery']} recovery
 */
function isRecent(recovery) {
  return (
    recovery !== null && (recovery.completed_at === null || Date.now() - Date.parse(recovery.completed_at) < RECENT_MS)
  )
}

/**
 * @param {{ webhook: Webhook }} props
 */
function Settings({ webhook }) {
  const { id, mode, url, events, payload, format, headers, ordering, concurrency, ed25519, secret_prefix } = webhook
  const names = Object.keys(headers)
  const forms = [
    payload === 'thin' ? 'only addresses' : 'the whole record',
    format === 'cloudevents' ? 'as CloudEvents' : 'in Parley’s envelope',
  ]
  const order = { none: 'no order', contact: 'in order for each contact', subscription: 'all in order' }[ordering]
  /** @type {[string, unknown][]} */
  const facts = [
    [
      mode === 'push' ? 'Address' : 'Delivery',
      url
        ? html`<${Copyable} text=${url} label="the address"><span class="webhook-url">${url}</span><//>`
        : 'Fetched by its receiver',
    ],
    [
      'Events',
      html`<span class="webhook-entries">${events.map((entry) => html`<code key=${entry}>${entry}</code>`)}</span>`,
    ],
    ['Content', forms.join(', ')],
    ['Id', html`<${Copyable} text=${id} label="the id"><code>${id}</code><//>`],
    ['Last delivery', html`<${Moment} at=${webhook.last_delivery_at} />`],
    ['Created', html`<${Moment} at=${webhook.created_at} />`],
  ]
  if (mode === 'push') {
    facts.push(
      ['Requests', `${concurrency} at once, ${order}`],
      ['Signed with', html`<span>secret <code>${secret_prefix}…</code>${ed25519 && ' and the public key'}</span>`],
      ['Headers', names.length > 0 ? names.join(', ') : html`<span class="faint">none of your own</span>`],
    )
    if (webhook.previous_secret_until && Date.parse(webhook.previous_secret_until) > Date.now()) {
      facts.push(['Former secret until', html`<${Moment} at=${webhook.previous_secret_until} />`])
    }
  }
  return html`<dl class="card webhook-facts">
    ${facts.map(([name, value]) => html`<div key=${name}><dt class="faint">${name}</dt><dd>${value}</dd></div>`)}
  </dl>`
}
