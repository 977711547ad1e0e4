/** The channels of all projects: whether they work, what waits for them, and why. */

import { useEffect } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import type { Place } from '../data/place.ts'
import { duration } from '../ui/format/figures.ts'
import { number, timeUntil } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { useAction } from '../ui/hooks.ts'
import { toast, toastFault } from '../ui/overlays/toast.ts'
import { Tabs } from '../ui/tabs.tsx'
import { Cell, Chip, Listing, Owner } from './listing.tsx'
import { type Pages, usePages } from './pages.ts'
import { HistoryButton } from './phone_history.tsx'
import { opsPlace } from './places.ts'
import type { OpsChannel } from './records.ts'

type ChannelPages = Pages<OpsChannel>

const READ_AGAIN_MS = 15_000
/** The server counts so far. */
const MAX_WAITING = 10_000

const VIEWS: Record<string, string> = { all: 'All', unwell: 'Not connected', waiting: 'With a queue' }
const STATUSES: Record<string, string> = { connected: 'completed', disconnected: 'failed', unverified: 'cancelled' }

export function ChannelsPage({ api, place: { query } }: { api: Api; place: Place }) {
  const view = query.view && VIEWS[query.view] ? query.view : 'all'
  const { project_id } = query
  const pages: ChannelPages = usePages(api, 'ops/channels', { view, project_id })
  useEffect(() => {
    // Further pages stay as they are: a list that was extended is not shortened behind the reader.
    const again = () => document.hidden || (pages.rows.value?.length ?? 0) > 50 || void pages.read()
    const timer = setInterval(again, READ_AGAIN_MS)
    return () => clearInterval(timer)
  }, [pages])
  const tabs = Object.entries(VIEWS).map(([name, text]) => {
    return {
      text,
      href: opsPlace('channels', { view: name === 'all' ? undefined : name, project_id }),
      is_current: name === view,
    }
  })
  const empty = {
    title:
      view === 'all' ? 'No channels' : view === 'unwell' ? 'All channels are connected' : 'Nothing waits to be sent',
    icon: 'done' as const,
  }
  return (
    <>
      <div class="ops-filters">
        <Tabs label="Channels" tabs={tabs} />
        {project_id && (
          <Chip
            text={`Project ${pages.rows.value?.[0]?.project.name ?? project_id}`}
            href={opsPlace('channels', { view })}
          />
        )}
      </div>
      <Listing
        label="Channels"
        pages={pages}
        columns={['Channel', 'Project', 'Status', 'Queue', 'Last check', '']}
        row={(channel) => <Row api={api} pages={pages} channel={channel} key={channel._id} />}
        empty={empty}
      />
    </>
  )
}

function Row({ api, pages, channel }: { api: Api; pages: ChannelPages; channel: OpsChannel }) {
  const { _id, name, channel_type, provider, project, company, is_active, status, status_reason, last_check } = channel
  const { run, is_busy } = useAction(async () => {
    try {
      const { ok, reason, channel: now } = await api.request('POST', `ops/channels/${_id}/check`)
      pages.put((row) => row._id === _id, {
        ...channel,
        status: now.status,
        status_reason: now.status_reason,
        last_check: { at: now.updated_at, by: 'you' },
      })
      toast(ok ? `${name} works` : `${name}: ${reason}`, { is_bad: !ok })
    } catch (error) {
      toastFault(`${name} was not checked`, error as Error)
    }
  })
  return (
    <tr>
      <Cell class="ops-first">
        <div class="ops-two">
          <b>{name}</b>
          <span class="faint">
            {channel_type} · {provider}
          </span>
        </div>
      </Cell>
      <Cell name="Project">
        <Owner project={project} company={company} href={opsPlace('channels', { project_id: project._id })} />
      </Cell>
      <Cell name="Status">
        <div class="ops-two">
          <span>
            <span class={`badge ${is_active ? (STATUSES[status] ?? '') : ''}`}>
              {is_active ? word(status) : 'Switched off'}
            </span>
          </span>
          {status_reason && <span class="ops-reason">{status_reason}</span>}
        </div>
      </Cell>
      <Cell name="Queue">
        <Queue channel={channel} />
      </Cell>
      <Cell name="Last check">
        {last_check ? (
          <div class="ops-two">
            <Moment at={last_check.at} />
            <span class="faint">{last_check.by ?? 'an operator'}</span>
          </div>
        ) : (
          <span class="faint">–</span>
        )}
      </Cell>
      <Cell class="ops-acts">
        {channel_type === 'whatsapp' && provider !== 'qr' && <HistoryButton api={api} channel={channel} />}
        <button type="button" class="button" disabled={is_busy} aria-label={`Check now: ${name}`} onClick={run}>
          {is_busy ? 'Checking…' : 'Check now'}
        </button>
      </Cell>
    </tr>
  )
}

function Queue({ channel: { waiting, oldest_s, last_error, sending } }: { channel: OpsChannel }) {
  if (waiting === 0) return <span class="faint">empty</span>
  const pause = sending?.paused_until && timeUntil(sending.paused_until)
  const words = [
    `oldest ${duration(oldest_s * 1000)}`,
    pause && `paused for ${pause}`,
    sending?.is_trying && 'trying one call at a time',
    sending && sending.unanswered_probes > 0 && `${sending.unanswered_probes} probes without an answer`,
  ].filter(Boolean)
  return (
    <div class="ops-two">
      <span>
        <b>{waiting >= MAX_WAITING ? `${number(MAX_WAITING)}+` : number(waiting)}</b>{' '}
        <span class="faint">{words.join(' · ')}</span>
      </span>
      {last_error && (
        <span class="ops-reason">
          <code>{last_error.code}</code> {last_error.message}
        </span>
      )}
    </div>
  )
}

function word(status: string) {
  return status.charAt(0).toUpperCase() + status.slice(1)
}
