/** Webhooks that Parley has switched off because their receivers failed too long. */
import { html } from 'htm/preact'
import { number } from '../ui/format.js'
import { Moment } from '../ui/moment.js'
import { Cell, Listing, Owner } from './listing.js'
import { usePages } from './pages.js'

/** @typedef {import('../../page_types/ops.ts').OpsWebhook} OpsWebhook */

/**
 * @param {{ api: import('../data/api.js').Api }} props
 */
export function WebhooksPage({ api }) {
  const pages = usePages(api, 'ops/webhooks', {})
  return html`
    <p class="faint">Webhooks that were disabled because their receivers failed too long. Their owners switch them on again, and can then recover what was missed.</p>
    <${Listing}
      label="Disabled webhooks"
      pages=${pages}
      columns=${['Webhook', 'Project', 'Reason', 'Failures in a row', 'Last delivery', 'Changed']}
      row=${(/** @type {OpsWebhook} */ webhook) => html`<tr key=${webhook.id}>
        <${Cell} class="ops-first"><div class="ops-two"><b>${webhook.name}</b><code class="faint ops-break">${webhook.url}</code></div><//>
        <${Cell} name="Project"><${Owner} project=${webhook.project} company=${webhook.company} /><//>
        <${Cell} name="Reason"><span class="ops-reason">${webhook.disabled_reason}</span><//>
        <${Cell} name="Failures in a row">${number(webhook.failure_count)}<//>
        <${Cell} name="Last delivery"><${Moment} at=${webhook.last_delivery_at} /><//>
        <${Cell} name="Changed"><${Moment} at=${webhook.updated_at} /><//>
      </tr>`}
      empty=${{ title: 'No webhook is disabled', text: 'All receivers take their events.', icon: 'done' }}
    />
  `
}
