/** One delivery: what was sent, each attempt, and the answers. */
import { html } from 'htm/preact'
import { useActions } from '../app/actions.js'
import { errorText } from '../data/errors.js'
import { Copyable } from '../ui/copyable.js'
import { exactly } from '../ui/format.js'
import { useAction } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { Moment } from '../ui/moment.js'
import { toast } from '../ui/toast.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { webhooksPlace } from './places.js'
import { deliveryState, failureText, tookText } from './words.js'

/** @typedef {import('./webhooks.js').Webhooks} Webhooks */
/** @typedef {import('../../page_types/webhook.ts').Attempt} Attempt */

/**
 * @param {{ webhooks: Webhooks, id: string }} props
 */
export function DeliveryPage({ webhooks, id }) {
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
  return html`<div class="page">
    <a class="back" href=${webhooksPlace(webhooks.project_id, id)}><${Icon} name="back" /> ${webhook?.name ?? 'Webhook'}</a>
    <div class="page-head">
      <div class="page-name">
        <h1 tabindex="-1" class=${delivery ? 'name' : 'name faint'}>${delivery?.event_type ?? 'Delivery'}</h1>
        ${delivery && html`<span class="badge ${style}">${word}</span>`} ${delivery?.is_test && html`<span class="webhook-test">test</span>`}
      </div>
      ${
        delivery &&
        webhook?.mode !== 'poll' &&
        html`<button type="button" class="button" aria-busy=${String(is_busy)} onClick=${run}>
          <${Icon} name="refresh" /> ${is_busy ? 'Sending…' : 'Send again'}
        </button>`
      }
    </div>
    ${refused && html`<p class="note bad" role="alert"><${Icon} name="alert" /> ${errorText(refused)}</p>`}
    ${delivery && html`<${Facts} delivery=${delivery} />`}
    ${delivery && html`<${Attempts} records=${delivery.attempt_records} is_polled=${webhook?.mode === 'poll'} />`}
    ${delivery && html`<${Event} webhooks=${webhooks} />`}
    ${!delivery && !fault && html`<${Waiting} label="Loading the delivery" rows=${3} />`}
    ${
      !delivery &&
      fault &&
      (fault.status === 404
        ? html`<${Trouble} title="There is no such delivery" error=${fault} />`
        : html`<${Trouble} title="The delivery could not be loaded" error=${fault} onRetry=${() => webhooks.read()} />`)
    }
  </div>`
}

/**
 * @param {{ delivery: import('../../page_types/webhook.ts').Delivery }} props
 */
function Facts({ delivery: { id, event_id, last_error, created_at, delivered_at, next_attempt_at } }) {
  /** @type {[string, unknown][]} */
  const facts = [
    ['Delivery', html`<${Copyable} text=${id} label="the delivery’s id"><code>${id}</code><//>`],
    ['Event', html`<${Copyable} text=${event_id} label="the event’s id"><code>${event_id}</code><//>`],
    ['Created', html`<${Moment} at=${created_at} />`],
    ...(delivered_at ? [/** @type {[string, unknown]} */ (['Delivered', html`<${Moment} at=${delivered_at} />`])] : []),
    ...(next_attempt_at
      ? [/** @type {[string, unknown]} */ (['Next attempt', html`<${Moment} at=${next_attempt_at} />`])]
      : []),
    ...(last_error ? [/** @type {[string, unknown]} */ (['Last failure', failureText(last_error)])] : []),
  ]
  return html`<dl class="card webhook-facts">
    ${facts.map(([name, value]) => html`<div key=${name}><dt class="faint">${name}</dt><dd>${value}</dd></div>`)}
  </dl>`
}

/**
 * @param {{ records: Attempt[], is_polled: boolean }} props
 */
function Attempts({ records, is_polled }) {
  return html`<section class="card webhook-part" aria-labelledby="attempts-title">
    <h2 id="attempts-title">Attempts</h2>
    ${
      records.length === 0 &&
      html`<p class="faint">${is_polled ? 'The receiver fetches its events, so there are none.' : 'None yet.'}</p>`
    }
    <ol class="webhook-attempts">
      ${[...records].reverse().map((one, at) => html`<${OneAttempt} record=${one} is_open=${at === 0} key=${one.attempt} />`)}
    </ol>
  </section>`
}

/**
 * @param {{ record: Attempt, is_open: boolean }} props
 */
function OneAttempt({
  record: { attempt, started_at, status_code, duration_ms, error, headers_sent, excerpt },
  is_open,
}) {
  const is_good = error === null
  const headers = Object.entries(headers_sent)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
  return html`<li>
    <details open=${is_open}>
      <summary>
        <span class=${is_good ? 'webhook-result good' : 'webhook-result bad'}><${Icon} name=${is_good ? 'done' : 'alert'} /></span>
        <b>Attempt ${attempt}</b>
        <span>${status_code ?? 'No answer'}</span>
        <span class="faint">${tookText(duration_ms)}</span>
        <time class="faint webhook-attempt-time" datetime=${started_at}>${exactly(started_at)}</time>
      </summary>
      <div class="webhook-attempt">
        ${error && html`<p>${failureText(error)}</p>`}
        <${Code} title="Headers sent" text=${headers} note="Values of your own headers are not kept." />
        ${
          excerpt
            ? html`<${Code} title="Answer" text=${excerpt} note="Its first 4 KiB." />`
            : html`<p class="faint">The answer had no text that was kept.</p>`
        }
      </div>
    </details>
  </li>`
}

/**
 * @param {{ webhooks: Webhooks }} props
 */
function Event({ webhooks }) {
  const { value, fault } = webhooks.event.value?.state.value ?? {}
  const webhook = webhooks.webhook.value?.value
  const is_as_sent = webhook?.payload === 'full' && webhook.format === 'standard'
  const text = value && JSON.stringify(value, null, 2)
  return html`<section class="card webhook-part" aria-labelledby="event-title">
    <h2 id="event-title">${is_as_sent ? 'Request body' : 'Event'}</h2>
    ${!is_as_sent && html`<p class="faint">The whole event. The webhook sends it in the form that its settings say.</p>`}
    ${text && html`<${Code} title="The event as JSON" text=${text} />`}
    ${fault && html`<p class="faint">${fault.status === 404 ? 'The event is no longer kept.' : errorText(fault)}</p>`}
    ${!text && !fault && html`<p class="faint" role="status">Loading…</p>`}
  </section>`
}

/**
 * @param {{ title: string, text: string, note?: string }} props
 */
function Code({ title, text, note }) {
  return html`<div class="webhook-code">
    <div class="webhook-code-head">
      <h3>${title}</h3>
      ${note && html`<span class="faint">${note}</span>`}
      <${Copyable} text=${text} label="“${title}”"><span></span><//>
    </div>
    <pre tabindex="0" aria-label=${title}>${text}</pre>
  </div>`
}
