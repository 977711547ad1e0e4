/** One broadcast: its progress, its speed and its recipients. */

import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Copyable } from '../ui/copyable.js'
import { duration, percent, perSecond, timeLeft } from '../ui/figures.js'
import { number } from '../ui/format.js'
import { useClock } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { Moment } from '../ui/moment.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { CancelDialog } from './cancel_dialog.js'
import { broadcastPlace, broadcastsPlace } from './places.js'
import { Bar } from './progress.js'
import { Recipients } from './recipients.js'
import { COUNTS, doneOf, hasEnded, nameOf } from './records.js'
import { Badge, COUNT_WORDS } from './words.js'

/** @typedef {import('../../page_types/broadcast.ts').Broadcast} Broadcast */
/** @typedef {import('./broadcast_detail.js').BroadcastDetail} BroadcastDetail */
/** @typedef {import('../../page_types/fault.ts').Fault} Fault */

/**
 * `from` is the list from which the user may have come.
 *
 * @param {{
 *   detail: BroadcastDetail
 *   from: import('./broadcast_list.js').BroadcastList | null
 *   channels: ReadonlyMap<string, string>
 *   senders: ReadonlyMap<string, string>
 *   is_live: boolean
 * }} props
 */
export function BroadcastPage({ detail, from, channels, senders, is_live }) {
  const { state, error, broadcast, project_id } = detail
  return html`<div class="page">
    <a class="back" href=${broadcastsPlace(project_id, from?.filter)}><${Icon} name="back" /> Broadcasts</a>
    <${Head} detail=${detail} broadcast=${broadcast} />
    ${broadcast && html`<${Body} detail=${detail} broadcast=${broadcast} channels=${channels} senders=${senders} is_live=${is_live} />`}
    ${!broadcast && state === 'loading' && html`<${Waiting} label="Loading the broadcast" rows=${4} />`}
    ${!broadcast && state === 'failed' && html`<${Missing} error=${error} onRetry=${() => detail.retry()} />`}
  </div>`
}

/**
 * @param {{
 *   detail: BroadcastDetail
 *   broadcast: Broadcast
 *   channels: ReadonlyMap<string, string>
 *   senders: ReadonlyMap<string, string>
 *   is_live: boolean
 * }} props
 */
function Body({ detail, broadcast, channels, senders, is_live }) {
  const channel = channels.get(broadcast.channel_id)
  const frozen_at = is_live ? null : detail.heard_at
  return [
    html`<${Progress} broadcast=${broadcast} speed=${detail.speed} frozen_at=${frozen_at} />`,
    html`<${Facts} broadcast=${broadcast} channel=${channel} sender=${senders.get(broadcast.user_id ?? '')} />`,
    html`<${Failures} detail=${detail} broadcast=${broadcast} />`,
    html`<${Recipients} detail=${detail} broadcast=${broadcast} />`,
  ]
}

/**
 * @param {{ error: Fault, onRetry(): void }} props
 */
function Missing({ error, onRetry }) {
  return error.status === 404
    ? html`<${Trouble} title="There is no such broadcast" error=${error} />`
    : html`<${Trouble} title="The broadcast could not be loaded" error=${error} onRetry=${onRetry} />`
}

/**
 * The heading stays when the broadcast arrives, because it may have the focus.
 *
 * @param {{ detail: BroadcastDetail, broadcast: Broadcast | undefined }} props
 */
function Head({ detail, broadcast }) {
  const [is_asking, setAsking] = useState(false)
  return html`<div class="page-head">
    <div class="page-name">
      <h1 tabindex="-1" class=${broadcast ? 'name' : 'name faint'}>${broadcast ? nameOf(broadcast) : 'Broadcast'}</h1>
      ${broadcast && html`<${Badge} status=${broadcast.status} />`}
    </div>
    ${
      broadcast &&
      html`<div class="actions">
        <a class="button" href=${detail.recipientsFile} download><${Icon} name="download" /> CSV</a>
        ${
          !hasEnded(broadcast) &&
          html`<button type="button" class="button danger" onClick=${() => setAsking(true)}><${Icon} name="stop" /> Cancel…</button>`
        }
      </div>`
    }
    ${is_asking && html`<${CancelDialog} detail=${detail} broadcast=${broadcast} onClose=${() => setAsking(false)} />`}
  </div>`
}

const HINTS = {
  read: 'opened by the person',
  delivered: 'on the phone, not opened',
  sent: 'with the provider',
  failed: 'will not arrive',
  pending: 'still to be sent',
}

/**
 * @param {{ broadcast: Broadcast, speed: BroadcastDetail['speed'], frozen_at: number | null }} props
 */
function Progress({ broadcast, speed, frozen_at }) {
  const { total } = broadcast
  const done = doneOf(broadcast)
  return html`<section class="card progress" aria-label="Progress">
    <div class="figures">
      <p class="figure large">
        <span class="figure-value">${percent(done, total)}</span>
        <span class="faint">${number(done)} of ${number(total)} processed</span>
      </p>
      <${Tempo} broadcast=${broadcast} speed=${speed} frozen_at=${frozen_at} />
    </div>
    <${Bar} broadcast=${broadcast} />
    <dl class="shares">
      ${COUNTS.map((name) => {
        const count = broadcast[`${name}_count`]
        return html`<div class=${count > 0 ? 'some' : ''} key=${name}>
          <dt><i class="swatch ${name}"></i>${COUNT_WORDS[name]}</dt>
          <dd><span class="share-count">${number(count)}</span> <span class="faint">${percent(count, total)}</span></dd>
          <dd class="faint hint">${HINTS[name]}</dd>
        </div>`
      })}
    </dl>
  </section>`
}

/**
 * Speed and remaining time of a running broadcast; speed and duration of a finished one. Without a connection the time
 * stands still at `frozen_at`, the last time that something was known.
 *
 * @param {{ broadcast: Broadcast, speed: BroadcastDetail['speed'], frozen_at: number | null }} props
 */
function Tempo({ broadcast, speed: { per_second, left_s }, frozen_at }) {
  const { status, total, started_at, completed_at, pending_count } = broadcast
  const clock = useClock(!completed_at && frozen_at === null)
  const now = frozen_at ?? clock
  const until = completed_at ? Date.parse(completed_at) : now
  const took_ms = started_at ? Math.max(0, until - Date.parse(started_at)) : null
  // Whole seconds while it is running.
  const shown_ms = completed_at || took_ms === null ? took_ms : 1000 * Math.floor(took_ms / 1000)
  const took = html`<${Figure}
    label=${completed_at ? 'duration' : frozen_at === null ? 'elapsed' : 'elapsed when last seen'}
    value=${shown_ms === null ? '–' : duration(shown_ms)}
  />`
  if (status === 'queued' || status === 'sending') {
    return [
      html`<${Figure} label="speed" value=${per_second === null ? '–' : perSecond(per_second)} />`,
      html`<${Figure} label="time left" value=${left_s === null ? '–' : timeLeft(left_s)} />`,
      took,
    ]
  }
  if (status === 'cancelled' && pending_count > 0) {
    return [html`<${Figure} label="still on the way" value=${number(pending_count)} />`, took]
  }
  const average = took_ms && status !== 'cancelled' ? perSecond((1000 * total) / took_ms) : null
  return [average && html`<${Figure} label="average speed" value=${average} />`, took]
}

/**
 * @param {{ label: string, value: string }} props
 */
function Figure({ label, value }) {
  return html`<p class="figure"><span class="figure-value">${value}</span><span class="faint">${label}</span></p>`
}

/**
 * The channel by name; by its id when it is gone. The agent who sent it, unless a program did.
 *
 * @param {{ broadcast: Broadcast, channel: string | undefined, sender: string | undefined }} props
 */
function Facts({ broadcast, channel, sender }) {
  const { id, template_name, language, channel_id, user_id, created_at, started_at, completed_at } = broadcast
  /** @param {string} text */
  const short = (text) => html`<code>${text}</code>`
  const facts = [
    ['Template', html`${template_name} <span class="faint">${language}</span>`],
    ['Channel', html`<${Copyable} text=${channel_id} label="the channel’s id">${channel ?? short(channel_id)}<//>`],
    ['Broadcast', html`<${Copyable} text=${id} label="the broadcast’s id">${short(id)}<//>`],
    ['Sent by', user_id === null ? 'A program' : (sender ?? 'An agent who has left')],
    ['Created', html`<${Moment} at=${created_at} />`],
    ['Started', html`<${Moment} at=${started_at} />`],
    ['Ended', html`<${Moment} at=${completed_at} />`],
  ]
  return html`<dl class="card facts">
    ${facts.map(([name, value]) => html`<div key=${name}><dt class="faint">${name}</dt><dd>${value}</dd></div>`)}
  </dl>`
}

/**
 * @param {{ detail: BroadcastDetail, broadcast: Broadcast }} props
 */
function Failures({ detail: { failures, project_id, id, recipientsFile }, broadcast: { failed_count } }) {
  if (!failures || failures.groups.length === 0) return null
  const { groups, looked_at, is_all } = failures
  return html`<section class="card failures" aria-labelledby="failures-title">
    <div class="section-head">
      <h2 id="failures-title">Why ${number(failed_count)} failed</h2>
      <a href=${broadcastPlace(project_id, id, 'failed')}>Show them</a>
    </div>
    <ul>
      ${groups.map(
        ({ code, message, count }) => html`<li key=${code}>
          <span class="failure-count">${number(count)}</span>
          <div><code>${code}</code><p>${message}</p></div>
        </li>`,
      )}
    </ul>
    ${
      !is_all &&
      html`<p class="faint">Of the first ${number(looked_at)} failures. <a href=${recipientsFile} download>The CSV file</a> has all.</p>`
    }
  </section>`
}
