/** Webhooks that Parley has switched off because their receivers failed too long. */

import type { Api } from '../data/api.ts'
import { number } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { Cell, Listing, Owner } from './listing.tsx'
import { usePages } from './pages.ts'
import type { OpsWebhook } from './records.ts'

export function WebhooksPage({ api }: { api: Api }) {
  const pages = usePages<OpsWebhook>(api, 'ops/webhooks', {})
  return (
    <>
      <p class="faint">
        Webhooks that were disabled because their receivers failed too long. Their owners switch them on again, and can
        then recover what was missed.
      </p>
      <Listing
        label="Disabled webhooks"
        pages={pages}
        columns={['Webhook', 'Project', 'Reason', 'Failures in a row', 'Last delivery', 'Changed']}
        row={(webhook) => (
          <tr key={webhook.id}>
            <Cell class="ops-first">
              <div class="ops-two">
                <b>{webhook.name}</b>
                <code class="faint ops-break">{webhook.url}</code>
              </div>
            </Cell>
            <Cell name="Project">
              <Owner project={webhook.project} company={webhook.company} />
            </Cell>
            <Cell name="Reason">
              <span class="ops-reason">{webhook.disabled_reason}</span>
            </Cell>
            <Cell name="Failures in a row">{number(webhook.failure_count)}</Cell>
            <Cell name="Last delivery">
              <Moment at={webhook.last_delivery_at} />
            </Cell>
            <Cell name="Changed">
              <Moment at={webhook.updated_at} />
            </Cell>
          </tr>
        )}
        empty={{ title: 'No webhook is disabled', text: 'All receivers take their events.', icon: 'done' }}
      />
    </>
  )
}
