/** The cluster: what is wrong, the nodes, the partitions, and who came and went. */

import { useState } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import { duration, perSecond } from '../ui/format/figures.ts'
import { number } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { Cell, Question, Share } from './listing.tsx'
import { nodeName, type Overview } from './overview.ts'
import { opsPlace } from './places.ts'
import type { OpsNode, Overview as OverviewReading } from './records.ts'

/** Partitions that are drawn one by one. */
const MAX_CELLS = 1024
const HUES = 8

export function ClusterPage({ api, overview }: { api: Api; overview: Overview }) {
  const reading = overview.reading.value
  const fault = overview.fault.value
  const [drained, setDrained] = useState<OpsNode | null>(null)
  if (!reading && fault) {
    return <Trouble title="The cluster could not be read" error={fault} onRetry={() => overview.read()} />
  }
  if (!reading) return <Waiting label="Loading the cluster" rows={3} />
  return (
    <>
      {fault && <Trouble title="These figures are outdated" error={fault} onRetry={() => overview.read()} />}
      <Warnings reading={reading} />
      <Nodes reading={reading} onDrain={setDrained} />
      <Partitions reading={reading} />
      <Changes overview={overview} />
      {drained && <DrainQuestion api={api} node={drained} onClose={() => setDrained(null)} />}
    </>
  )
}

function Warnings({ reading: { warnings, nodes } }: { reading: OverviewReading }) {
  if (warnings.length === 0) {
    return (
      <div class="ops-well" role="status">
        <Icon name="done" />
        <p>
          <b>All is well.</b>
          <span class="faint">
            {' '}
            {nodes.length === 1 ? 'The node answers' : `All ${nodes.length} nodes answer`}, nothing is late, and nothing
            waits for you.
          </span>
        </p>
      </div>
    )
  }
  return (
    <ul class="ops-warnings" aria-label="What needs attention">
      {warnings.map(({ level, title, advice, place }) => (
        <li class={level} key={title}>
          <Icon name="alert" />
          <div>
            <p class="ops-warning-title">{title}</p>
            <p>{advice}</p>
          </div>
          {place && place !== 'cluster' && (
            <a class="button" href={opsPlace(place)}>
              Look<span class="aside"> at {place.replace('-', ' ')}</span>
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}

function upFor(started_at: string) {
  const ms = Date.now() - Date.parse(started_at)
  return ms < 48 * 3_600_000 ? duration(ms) : `${Math.floor(ms / 86_400_000)} days`
}

function stateOf({ leaving, is_connected, figures }: OpsNode) {
  if (!is_connected) return { text: 'Cut off', style: 'failed' }
  if (leaving) return { text: 'Leaving', style: 'cancelled' }
  return figures ? { text: 'Running', style: 'completed' } : { text: 'Silent', style: 'cancelled' }
}

function Nodes({
  reading: { nodes, partitions },
  onDrain,
}: {
  reading: OverviewReading
  onDrain: (node: OpsNode) => void
}) {
  const columns = ['Node', 'State', 'Started', 'Lease', 'Partitions', 'Load', 'CPU', 'Event loop', 'Memory', '']
  return (
    <section class="card ops-list" aria-labelledby="ops-nodes">
      <h2 id="ops-nodes" class="ops-card-title">
        Nodes <span class="faint">{number(nodes.length)}</span>
      </h2>
      <table class="ops-table ops-nodes">
        <thead>
          <tr>
            {columns.map((name) => (
              <th scope="col" key={name}>
                {name || <span class="aside">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {nodes.map((node, place) => (
            <NodeRow node={node} place={place} total={partitions.total} onDrain={onDrain} key={node.id} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function NodeRow({
  node,
  place,
  total,
  onDrain,
}: {
  node: OpsNode
  place: number
  total: number
  onDrain: (node: OpsNode) => void
}) {
  const { figures, lease_age_s, release, started_at, partitions, cpu, per_second } = node
  const { text, style } = stateOf(node)
  const loop_ms = figures && (figures.loop_delay_seconds ?? 0) * 1000
  return (
    <tr>
      <Cell class="ops-first">
        <div class="ops-node">
          <i class={`ops-dot hue-${place % HUES}`}></i>
          <div class="ops-two">
            <b>{node.host}</b>
            <span class="faint">
              <code>{node.id.slice(0, 6)}</code> · {release ? `release ${release}` : 'older release'}
            </span>
          </div>
        </div>
      </Cell>
      <Cell name="State">
        <span class={`badge ${style}`}>{text}</span>
      </Cell>
      <Cell name="Started">
        <span title={`Process ${node.pid}, started at ${started_at}`}>{upFor(started_at)}</span>
      </Cell>
      <Cell name="Lease">{lease_age_s === null ? '–' : `${lease_age_s.toFixed(1)} s ago`}</Cell>
      <Cell name="Partitions">
        <div class="ops-share">
          <span>{number(partitions)}</span>
          <Share part={partitions / (total || 1)} />
        </div>
      </Cell>
      <Cell name="Load">{per_second === null ? '–' : perSecond(per_second)}</Cell>
      <Cell name="CPU">{cpu === null ? '–' : `${Math.round(cpu * 100)}%`}</Cell>
      <Cell name="Event loop">
        <span class={loop_ms && loop_ms > 100 ? 'ops-bad' : ''}>
          {loop_ms === null ? '–' : `${Math.round(loop_ms)} ms`}
        </span>
      </Cell>
      <Cell name="Memory">{figures ? `${number(Math.round((figures.memory_bytes ?? 0) / 1e6))} MB` : '–'}</Cell>
      <Cell class="ops-acts">
        {!node.leaving && (
          <button type="button" class="quiet" aria-label={`Drain ${nodeName(node)}`} onClick={() => onDrain(node)}>
            Drain…
          </button>
        )}
      </Cell>
    </tr>
  )
}

function DrainQuestion({ api, node, onClose }: { api: Api; node: OpsNode; onClose(): void }) {
  const act = async () => {
    await api.request('POST', `ops/cluster/nodes/${node.id}/drain`)
    toast(`${nodeName(node)} gives its partitions away`)
  }
  return (
    <Question title="Drain this node?" act_text="Drain the node" act={act} onClose={onClose}>
      <p>
        {nodeName(node)} gives its partitions to the other nodes, a few at a time, and gets none until it is started
        again. It goes on taking requests. Do this before you stop it, with at least one other node running.
      </p>
    </Question>
  )
}

function Partitions({ reading: { nodes, partitions } }: { reading: OverviewReading }) {
  const { owners, total } = partitions
  const orphans = owners.filter((owner) => owner === null).length
  const shares = nodes.map((node, place) => ({ node, place, count: owners.filter((owner) => owner === place).length }))
  const most = Math.max(...shares.map(({ count }) => count), 0)
  const least = Math.min(...shares.map(({ count }) => count))
  const words =
    orphans > 0
      ? `${number(orphans)} without an owner`
      : nodes.length > 1
        ? `${least} to ${most} for each node`
        : 'all with one node'
  return (
    <section class="card ops-partitions" aria-labelledby="ops-partitions">
      <h2 id="ops-partitions" class="ops-card-title">
        Partitions{' '}
        <span class="faint">
          {number(total)} · {words}
        </span>
      </h2>
      {total <= MAX_CELLS && (
        <div class="ops-cells" aria-hidden="true">
          {owners.map((owner, at) => {
            const node = owner === null ? undefined : nodes[owner]
            const title = `Partition ${at}: ${node ? nodeName(node) : 'no owner'}`
            return <i class={node ? `hue-${(owner as number) % HUES}` : 'none'} title={title} key={at}></i>
          })}
        </div>
      )}
      <ul class="ops-legend">
        {shares.map(({ node, place, count }) => {
          return (
            <li key={node.id}>
              <i class={`ops-dot hue-${place % HUES}`}></i>
              {nodeName(node)} <b>{number(count)}</b>
            </li>
          )
        })}
        {orphans > 0 && (
          <li class="ops-bad">
            <i class="ops-dot none"></i>No owner <b>{number(orphans)}</b>
          </li>
        )}
      </ul>
    </section>
  )
}

function Changes({ overview }: { overview: Overview }) {
  const changes = overview.changes.value
  return (
    <section class="card ops-changes" aria-labelledby="ops-changes">
      <h2 id="ops-changes" class="ops-card-title">
        Since you opened this page
      </h2>
      {changes.length === 0 && <p class="faint">No node came or went.</p>}
      <ol aria-live="polite">
        {changes.map(({ at, text, is_bad }, n) => {
          return (
            <li class={is_bad ? 'ops-bad' : ''} key={changes.length - n}>
              <Moment at={at} /> {text}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
