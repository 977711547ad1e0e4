/** One delivery: what was sent, each attempt, and the answers. */

import type { ComponentChildren } from 'preact'
import { errorText } from '../data/errors.ts'
import type { Attempt, Delivery } from '../records/webhook.ts'
import { useActions } from '../ui/actions.ts'
import { Copyable } from '../ui/copyable.tsx'
import { exactly } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { useAction } from '../ui/hooks.ts'
import { toast } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { webhooksPlace } from './places.ts'
import type { Webhooks } from './webhooks.ts'
import { deliveryState, failureText, tookText } from './words.ts'

export function DeliveryPage({ webhooks, id }: { webhooks: Webhooks; id: string }) {
  const resource = webhooks.delivery.value
  const webhook = webhooks.webhook.value?.value
  const delivery = resource?.value
  const fault = resource?.fault
  const {
    run,
    is_busy,
    fault: refused,
  } = useAction(async () => {
    if (!delivery) return
    await webhooks.api.redeliver(id, delivery.id)
    toast('It is being sent again.')
    webhooks.read()
  })
  useActions(
    () =>
      delivery ? [{ text: 'Send the delivery again', group: 'Webhook', icon: 'refresh', keys: 'r', act: run }] : [],
    [delivery],
  )
  const { style = '', word = '' } = delivery ? deliveryState(delivery) : {}
  return (
    <div class="page">
      <a class="back" href={webhooksPlace(webhooks.project_id, id)}>
        <Icon name="back" /> {webhook?.name ?? 'Webhook'}
      </a>
      <div class="page-head">
        <div class="page-name">
          <h1 tabindex={-1} class={delivery ? 'name' : 'name faint'}>
            {delivery?.event_type ?? 'Delivery'}
          </h1>
          {delivery && <span class={`badge ${style}`}>{word}</span>}{' '}
          {delivery?.is_test && <span class="webhook-test">test</span>}
        </div>
        {delivery && webhook?.mode !== 'poll' && (
          <button type="button" class="button" aria-busy={is_busy} onClick={run}>
            <Icon name="refresh" /> {is_busy ? 'Sending…' : 'Send again'}
          </button>
        )}
      </div>
      {refused && (
        <p class="note bad" role="alert">
          <Icon name="alert" /> {errorText(refused)}
        </p>
      )}
      {delivery && <Facts delivery={delivery} />}
      {delivery && <Attempts records={delivery.attempt_records} is_polled={webhook?.mode === 'poll'} />}
      {delivery && <Event webhooks={webhooks} />}
      {!delivery && !fault && <Waiting label="Loading the delivery" rows={3} />}
      {!delivery &&
        fault &&
        (fault.status === 404 ? (
          <Trouble title="There is no such delivery" error={fault} />
        ) : (
          <Trouble title="The delivery could not be loaded" error={fault} onRetry={() => webhooks.read()} />
        ))}
    </div>
  )
}

function Facts({
  delivery: { id, event_id, last_error, created_at, delivered_at, next_attempt_at },
}: {
  delivery: Delivery
}) {
  const facts: [string, ComponentChildren][] = [
    [
      'Delivery',
      <Copyable text={id} label="the delivery’s id">
        <code>{id}</code>
      </Copyable>,
    ],
    [
      'Event',
      <Copyable text={event_id} label="the event’s id">
        <code>{event_id}</code>
      </Copyable>,
    ],
    ['Created', <Moment at={created_at} />],
    ...(delivered_at ? [['Delivered', <Moment at={delivered_at} />] as [string, ComponentChildren]] : []),
    ...(next_attempt_at ? [['Next attempt', <Moment at={next_attempt_at} />] as [string, ComponentChildren]] : []),
    ...(last_error ? [['Last failure', failureText(last_error)] as [string, ComponentChildren]] : []),
  ]
  return (
    <dl class="card webhook-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="faint">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Attempts({ records, is_polled }: { records: Attempt[]; is_polled: boolean }) {
  return (
    <section class="card webhook-part" aria-labelledby="attempts-title">
      <h2 id="attempts-title">Attempts</h2>
      {records.length === 0 && (
        <p class="faint">{is_polled ? 'The receiver fetches its events, so there are none.' : 'None yet.'}</p>
      )}
      <ol class="webhook-attempts">
        {[...records].reverse().map((one, at) => (
          <OneAttempt record={one} is_open={at === 0} key={one.attempt} />
        ))}
      </ol>
    </section>
  )
}

function OneAttempt({
  record: { attempt, started_at, status_code, duration_ms, error, headers_sent, excerpt },
  is_open,
}: {
  record: Attempt
  is_open: boolean
}) {
  const is_good = error === null
  const headers = Object.entries(headers_sent)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
  return (
    <li>
      <details open={is_open}>
        <summary>
          <span class={is_good ? 'webhook-result good' : 'webhook-result bad'}>
            <Icon name={is_good ? 'done' : 'alert'} />
          </span>
          <b>Attempt {attempt}</b>
          <span>{status_code ?? 'No answer'}</span>
          <span class="faint">{tookText(duration_ms)}</span>
          <time class="faint webhook-attempt-time" datetime={started_at}>
            {exactly(started_at)}
          </time>
        </summary>
        <div class="webhook-attempt">
          {error && <p>{failureText(error)}</p>}
          <Code title="Headers sent" text={headers} note="Values of your own headers are not kept." />
          {excerpt ? (
            <Code title="Answer" text={excerpt} note="Its first 4 KiB." />
          ) : (
            <p class="faint">The answer had no text that was kept.</p>
          )}
        </div>
      </details>
    </li>
  )
}

function Event({ webhooks }: { webhooks: Webhooks }) {
  const { value, fault } = webhooks.event.value?.state.value ?? {}
  const webhook = webhooks.webhook.value?.value
  const is_as_sent = webhook?.payload === 'full' && webhook.format === 'standard'
  const text = value && JSON.stringify(value, null, 2)
  return (
    <section class="card webhook-part" aria-labelledby="event-title">
      <h2 id="event-title">{is_as_sent ? 'Request body' : 'Event'}</h2>
      {!is_as_sent && <p class="faint">The whole event. The webhook sends it in the form that its settings say.</p>}
      {text && <Code title="The event as JSON" text={text} />}
      {fault && <p class="faint">{fault.status === 404 ? 'The event is no longer kept.' : errorText(fault)}</p>}
      {!text && !fault && (
        <p class="faint" role="status">
          Loading…
        </p>
      )}
    </section>
  )
}

function Code({ title, text, note }: { title: string; text: string; note?: string }) {
  return (
    <div class="webhook-code">
      <div class="webhook-code-head">
        <h3>{title}</h3>
        {note && <span class="faint">{note}</span>}
        <Copyable text={text} label={`“${title}”`}>
          <span></span>
        </Copyable>
      </div>
      <pre tabindex={0} aria-label={title}>
        {text}
      </pre>
    </div>
  )
}
