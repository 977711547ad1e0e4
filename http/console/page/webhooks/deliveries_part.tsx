/** The deliveries of a subscription, newest first; read again every few seconds. */

import type { Delivery, Webhook } from '../records/webhook.ts'
import { timeUntil } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { SelectField } from '../ui/forms/field.tsx'
import { useClock } from '../ui/hooks.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Tabs } from '../ui/tabs.tsx'
import type { Deliveries } from './deliveries.ts'
import { DELIVERY_STATUSES, webhookPlace, webhooksPlace } from './places.ts'
import type { Webhooks } from './webhooks.ts'
import { deliveryState, failureText, STATUS_WORDS, tookText } from './words.ts'

export function DeliveriesPart({ webhooks, webhook }: { webhooks: Webhooks; webhook: Webhook }) {
  const { project_id } = webhooks
  const deliveries = webhooks.deliveries.value
  if (!deliveries) return null
  const { filter } = deliveries
  const types = (webhooks.types.value ?? []).map(({ type }) => type)
  const known = filter.event_type && !types.includes(filter.event_type) ? [filter.event_type, ...types] : types
  return (
    <section class="card webhook-deliveries" aria-labelledby="deliveries-title">
      <div class="section-head">
        <h2 id="deliveries-title">Deliveries</h2>
      </div>
      <div class="webhook-filters">
        <Tabs
          label="Deliveries by status"
          tabs={[undefined, ...DELIVERY_STATUSES].map((one) => ({
            text: one ? STATUS_WORDS[one] : 'All',
            href: webhookPlace(project_id, webhook.id, { ...filter, status: one }),
            is_current: one === filter.status,
          }))}
        />
        <SelectField
          label="Event type"
          value={filter.event_type ?? ''}
          options={[{ value: '', text: 'Every event type' }, ...known.map((one) => ({ value: one, text: one }))]}
          onChange={(value) => {
            location.hash = webhookPlace(project_id, webhook.id, { ...filter, event_type: value || undefined })
          }}
        />
      </div>
      <Rows deliveries={deliveries} webhook={webhook} project_id={project_id} />
    </section>
  )
}

function Rows({ deliveries, webhook, project_id }: { deliveries: Deliveries; webhook: Webhook; project_id: string }) {
  const { rows, has_more, is_loading, fault } = deliveries.state.value
  const now = useClock(true, 5_000)
  if (!rows) {
    return fault ? (
      <Trouble title="The deliveries could not be loaded" error={fault} onRetry={() => deliveries.read()} />
    ) : (
      <p class="faint webhook-none" role="status">
        Loading the deliveries…
      </p>
    )
  }
  const older = has_more && (
    <div class="webhook-more-rows">
      <button type="button" class="button" aria-busy={is_loading} onClick={() => deliveries.readMore()}>
        {is_loading ? 'Loading…' : 'Show older'}
      </button>
    </div>
  )
  if (rows.length === 0) {
    const is_filtered = deliveries.filter.status || deliveries.filter.event_type
    return (
      <>
        <p class="faint webhook-none">
          {has_more
            ? 'None of the newest deliveries matches.'
            : is_filtered
              ? 'No delivery matches.'
              : webhook.is_active
                ? 'No event yet. A test event shows whether the receiver works.'
                : 'No event was delivered.'}
        </p>
        {older}
      </>
    )
  }
  return (
    <>
      <table class="webhook-table">
        <caption class="aside">Deliveries</caption>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Status</th>
            <th scope="col" class="beside">
              Answer
            </th>
            <th scope="col" class="beside">
              Attempts
            </th>
            <th scope="col" class="when">
              Created
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <Row
              delivery={one}
              href={webhooksPlace(project_id, webhook.id, 'deliveries', one.id)}
              now={now}
              key={one.id}
            />
          ))}
        </tbody>
      </table>
      {fault && (
        <p class="note bad">
          <Icon name="alert" /> The last refreshing failed; it is tried again.
        </p>
      )}
      {older}
    </>
  )
}

function Row({ delivery, href, now }: { delivery: Delivery; href: string; now: number }) {
  const { id, event_type, is_test, status_code, duration_ms, last_error, attempts, next_attempt_at, created_at } =
    delivery
  const { style, word } = deliveryState(delivery)
  const next = next_attempt_at && timeUntil(next_attempt_at, now)
  const answer = [status_code, duration_ms === null ? null : tookText(duration_ms)]
    .filter((one) => one !== null)
    .join(' · ')
  return (
    <tr>
      <td>
        <a id={id} class="webhook-delivery" href={href}>
          {event_type}
        </a>{' '}
        {is_test && <span class="webhook-test">test</span>}
        {last_error && <p class="faint webhook-reason">{failureText(last_error)}</p>}
      </td>
      <td>
        <span class={`badge ${style}`}>{word}</span>
        {next && <p class="faint webhook-reason">in {next}</p>}
      </td>
      <td class="beside faint">{answer || '–'}</td>
      <td class="beside faint">{attempts}</td>
      <td class="when">
        <Moment at={created_at} />
      </td>
    </tr>
  )
}
