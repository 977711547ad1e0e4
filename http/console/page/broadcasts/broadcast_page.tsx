/** One broadcast: its progress, its speed and its recipients. One file, because its parts are a few lines each. */

import { useState } from 'preact/hooks'
import type { Broadcast } from '../records/broadcast.ts'
import type { Fault } from '../records/fault.ts'
import { Copyable } from '../ui/copyable.tsx'
import { costText, duration, percent, perSecond, timeLeft } from '../ui/format/figures.ts'
import { number } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { useClock } from '../ui/hooks.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import type { BroadcastDetail } from './broadcast_detail.ts'
import type { BroadcastList } from './broadcast_list.ts'
import { CancelDialog } from './cancel_dialog.tsx'
import { broadcastPlace, broadcastsPlace } from './places.ts'
import { Bar } from './progress.tsx'
import { Recipients } from './recipients.tsx'
import { COUNTS, doneOf, hasEnded, nameOf } from './records.ts'
import { Badge, COUNT_WORDS } from './words.tsx'

/** `from` is the list from which the user may have come. */
export function BroadcastPage({
  detail,
  from,
  channels,
  senders,
  is_live,
}: {
  detail: BroadcastDetail
  from: BroadcastList | null
  channels: ReadonlyMap<string, string>
  senders: ReadonlyMap<string, string>
  is_live: boolean
}) {
  const { state, error, broadcast, project_id } = detail
  return (
    <div class="page">
      <a class="back" href={broadcastsPlace(project_id, from?.filter)}>
        <Icon name="back" /> Broadcasts
      </a>
      <Head detail={detail} broadcast={broadcast} />
      {broadcast && (
        <Body detail={detail} broadcast={broadcast} channels={channels} senders={senders} is_live={is_live} />
      )}
      {!broadcast && state === 'loading' && <Waiting label="Loading the broadcast" rows={4} />}
      {!broadcast && state === 'failed' && <Missing error={error} onRetry={() => detail.retry()} />}
    </div>
  )
}

function Body({
  detail,
  broadcast,
  channels,
  senders,
  is_live,
}: {
  detail: BroadcastDetail
  broadcast: Broadcast
  channels: ReadonlyMap<string, string>
  senders: ReadonlyMap<string, string>
  is_live: boolean
}) {
  const channel = channels.get(broadcast.channel_id)
  const frozen_at = is_live ? null : detail.heard_at
  return [
    broadcast.paused_reason && <Paused />,
    <Progress broadcast={broadcast} speed={detail.speed} frozen_at={frozen_at} />,
    <Facts broadcast={broadcast} channel={channel} sender={senders.get(broadcast.user_id ?? '')} />,
    <Failures detail={detail} broadcast={broadcast} />,
    <Recipients detail={detail} broadcast={broadcast} />,
  ]
}

/** The operator raises the cap; agents cannot. */
function Paused() {
  return (
    <p class="card" role="status">
      This broadcast is paused: the project has reached its monthly cap on marketing. It goes on at the beginning of the
      next month (UTC), or once the cap is raised.
    </p>
  )
}

function Missing({ error, onRetry }: { error: Fault | null; onRetry(): void }) {
  return error?.status === 404 ? (
    <Trouble title="There is no such broadcast" error={error} />
  ) : (
    <Trouble title="The broadcast could not be loaded" error={error} onRetry={onRetry} />
  )
}

/** The heading stays when the broadcast arrives, because it may have the focus. */
function Head({ detail, broadcast }: { detail: BroadcastDetail; broadcast: Broadcast | undefined }) {
  const [is_asking, setAsking] = useState(false)
  return (
    <div class="page-head">
      <div class="page-name">
        <h1 tabindex={-1} class={broadcast ? 'name' : 'name faint'}>
          {broadcast ? nameOf(broadcast) : 'Broadcast'}
        </h1>
        {broadcast && <Badge status={broadcast.status} paused_reason={broadcast.paused_reason} />}
      </div>
      {broadcast && (
        <div class="actions">
          <a class="button" href={detail.recipientsFile} download>
            <Icon name="download" /> CSV
          </a>
          {!hasEnded(broadcast) && (
            <button type="button" class="button danger" onClick={() => setAsking(true)}>
              <Icon name="stop" /> Cancel…
            </button>
          )}
        </div>
      )}
      {is_asking && broadcast && (
        <CancelDialog detail={detail} broadcast={broadcast} onClose={() => setAsking(false)} />
      )}
    </div>
  )
}

const HINTS = {
  read: 'opened by the person',
  delivered: 'on the phone, not opened',
  sent: 'with the provider',
  failed: 'will not arrive',
  pending: 'still to be sent',
}

function Progress({
  broadcast,
  speed,
  frozen_at,
}: {
  broadcast: Broadcast
  speed: BroadcastDetail['speed']
  frozen_at: number | null
}) {
  const { total } = broadcast
  const done = doneOf(broadcast)
  return (
    <section class="card progress" aria-label="Progress">
      <div class="figures">
        <p class="figure large">
          <span class="figure-value">{percent(done, total)}</span>
          <span class="faint">
            {number(done)} of {number(total)} processed
          </span>
        </p>
        <Tempo broadcast={broadcast} speed={speed} frozen_at={frozen_at} />
      </div>
      <Bar broadcast={broadcast} />
      <dl class="shares">
        {COUNTS.map((name) => {
          const count = broadcast[`${name}_count`]
          return (
            <div class={count > 0 ? 'some' : ''} key={name}>
              <dt>
                <i class={`swatch ${name}`}></i>
                {COUNT_WORDS[name]}
              </dt>
              <dd>
                <span class="share-count">{number(count)}</span> <span class="faint">{percent(count, total)}</span>
              </dd>
              <dd class="faint hint">{HINTS[name]}</dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}

/**
 * Speed and remaining time of a running broadcast; speed and duration of a finished one. Without a connection the time
 * stands still at `frozen_at`, the last time that something was known.
 */
function Tempo({
  broadcast,
  speed: { per_second, left_s },
  frozen_at,
}: {
  broadcast: Broadcast
  speed: BroadcastDetail['speed']
  frozen_at: number | null
}) {
  const { status, total, started_at, completed_at, pending_count } = broadcast
  const clock = useClock(!completed_at && frozen_at === null)
  const now = frozen_at ?? clock
  const until = completed_at ? Date.parse(completed_at) : now
  const took_ms = started_at ? Math.max(0, until - Date.parse(started_at)) : null
  // Whole seconds while it is running.
  const shown_ms = completed_at || took_ms === null ? took_ms : 1000 * Math.floor(took_ms / 1000)
  const took = (
    <Figure
      label={completed_at ? 'duration' : frozen_at === null ? 'elapsed' : 'elapsed when last seen'}
      value={shown_ms === null ? '–' : duration(shown_ms)}
    />
  )
  if (status === 'queued' || status === 'sending') {
    return [
      <Figure label="speed" value={per_second === null ? '–' : perSecond(per_second)} />,
      <Figure label="time left" value={left_s === null ? '–' : timeLeft(left_s)} />,
      took,
    ]
  }
  if (status === 'cancelled' && pending_count > 0) {
    return [<Figure label="still on the way" value={number(pending_count)} />, took]
  }
  const average = took_ms && status !== 'cancelled' ? perSecond((1000 * total) / took_ms) : null
  return [average && <Figure label="average speed" value={average} />, took]
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <p class="figure">
      <span class="figure-value">{value}</span>
      <span class="faint">{label}</span>
    </p>
  )
}

/** The name at that time. Sends of earlier releases have none: `sender` is the agent as the project knows it now. */
function senderOf({ user_id, sender_name }: Broadcast, sender: string | undefined) {
  if (user_id !== null) return sender_name ?? sender ?? 'An agent who has left'
  return sender_name === null ? 'A program' : `${sender_name} (token)`
}

/** The channel by name; by its id when it is gone. The agent who sent it, unless a program did. */
function Facts({
  broadcast,
  channel,
  sender,
}: {
  broadcast: Broadcast
  channel: string | undefined
  sender: string | undefined
}) {
  const { id, template_name, language, channel_id, cost } = broadcast
  const { created_at, started_at, completed_at } = broadcast
  const short = (text: string) => <code>{text}</code>
  const facts = [
    [
      'Template',
      <>
        {template_name} <span class="faint">{language}</span>
      </>,
    ],
    [
      'Channel',
      <Copyable text={channel_id} label="the channel’s id">
        {channel ?? short(channel_id)}
      </Copyable>,
    ],
    [
      'Broadcast',
      <Copyable text={id} label="the broadcast’s id">
        {short(id)}
      </Copyable>,
    ],
    ['Sent by', <bdi>{senderOf(broadcast, sender)}</bdi>],
    ['Cost', cost ? costText(cost) : 'None known'],
    ['Created', <Moment at={created_at} />],
    ['Started', <Moment at={started_at} />],
    ['Ended', <Moment at={completed_at} />],
  ]
  return (
    <dl class="card facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="faint">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Failures({
  detail: { failures, project_id, id, recipientsFile },
  broadcast: { failed_count },
}: {
  detail: BroadcastDetail
  broadcast: Broadcast
}) {
  if (!failures || failures.groups.length === 0) return null
  const { groups, looked_at, is_all } = failures
  return (
    <section class="card failures" aria-labelledby="failures-title">
      <div class="section-head">
        <h2 id="failures-title">Why {number(failed_count)} failed</h2>
        <a href={broadcastPlace(project_id, id, 'failed')}>Show them</a>
      </div>
      <ul>
        {groups.map(({ code, message, count }) => (
          <li key={code}>
            <span class="failure-count">{number(count)}</span>
            <div>
              <code>{code}</code>
              <p>{message}</p>
            </div>
          </li>
        ))}
      </ul>
      {!is_all && (
        <p class="faint">
          Of the first {number(looked_at)} failures.{' '}
          <a href={recipientsFile} download>
            The CSV file
          </a>{' '}
          has all.
        </p>
      )}
    </section>
  )
}
