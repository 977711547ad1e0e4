/** The cluster: what is wrong, the nodes, the partitions, and who came and went. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { duration, perSecond } from '../ui/figures.js'
import { number } from '../ui/format.js'
import { Icon } from '../ui/icons.js'
import { Moment } from '../ui/moment.js'
import { toast } from '../ui/toast.js'
import { Trouble } from '../ui/trouble.js'
import { Waiting } from '../ui/waiting.js'
import { Cell, Question, Share } from './listing.js'
import { nodeName } from './overview.js'
import { opsPlace } from './places.js'

/** @typedef {import('../../page_types/ops.ts').OpsNode} OpsNode */
/** @typedef {import('../../page_types/ops.ts').Overview} OverviewReading */
/** @typedef {import('./overview.js').Overview} Overview */

/** Partitions that are drawn one by one. */
const MAX_CELLS = 1024
const HUES = 8

/**
 * @param {{ api: import('../data/api.js').Api, overview: Overview }} props
 */
export function ClusterPage({ api, overview }) {
  const reading = overview.reading.value
  const fault = overview.fault.value
  const [drained, setDrained] = useState(/** @type {OpsNode | null} */ (null))
  if (!reading && fault) {
    return html`<${Trouble} title="The cluster could not be read" error=${fault} onRetry=${() => overview.read()} />`
  }
  if (!reading) return html`<${Waiting} label="Loading the cluster" rows=${3} />`
  return html`
    ${fault && html`<${Trouble} title="These figures are outdated" error=${fault} onRetry=${() => overview.read()} />`}
    <${Warnings} reading=${reading} />
    <${Nodes} reading=${reading} onDrain=${setDrained} />
    <${Partitions} reading=${reading} />
    <${Changes} overview=${overview} />
    ${drained && html`<${DrainQuestion} api=${api} node=${drained} onClose=${() => setDrained(null)} />`}
  `
}

/**
 * @param {{ reading: OverviewReading }} props
 */
function Warnings({ reading: { warnings, nodes } }) {
  if (warnings.length === 0) {
    return html`<div class="ops-well" role="status">
      <${Icon} name="done" />
      <p>
        <b>All is well.</b>
        <span class="faint"> ${nodes.length === 1 ? 'The node answers' : `All ${nodes.length} nodes answer`}, nothing is late, and nothing waits for you.</span>
      </p>
    </div>`
  }
  return html`<ul class="ops-warnings" aria-label="What needs attention">
    ${warnings.map(
      ({ level, title, advice, place }) => html`<li class=${level} key=${title}>
        <${Icon} name="alert" />
        <div>
          <p class="ops-warning-title">${title}</p>
          <p>${advice}</p>
        </div>
        ${place && place !== 'cluster' && html`<a class="button" href=${opsPlace(place)}>Look<span class="aside"> at ${place.replace('-', ' ')}</span></a>`}
      </li>`,
    )}
  </ul>`
}

/** @param {string} started_at */
function upFor(started_at) {
  const ms = Date.now() - Date.parse(started_at)
  return ms < 48 * 3_600_000 ? duration(ms) : `${Math.floor(ms / 86_400_000)} days`
}

/** @param {OpsNode} node */
function stateOf({ leaving, is_connected, figures }) {
  if (!is_connected) return { text: 'Cut off', style: 'failed' }
  if (leaving) return { text: 'Leaving', style: 'cancelled' }
  return figures ? { text: 'Running', style: 'completed' } : { text: 'Silent', style: 'cancelled' }
}

/**
 * @param {{ reading: OverviewReading, onDrain: (node: OpsNode) => void }} props
 */
function Nodes({ reading: { nodes, partitions }, onDrain }) {
  const columns = ['Node', 'State', 'Started', 'Lease', 'Partitions', 'Load', 'CPU', 'Event loop', 'Memory', '']
  return html`<section class="card ops-list" aria-labelledby="ops-nodes">
    <h2 id="ops-nodes" class="ops-card-title">Nodes <span class="faint">${number(nodes.length)}</span></h2>
    <table class="ops-table ops-nodes">
      <thead>
        <tr>${columns.map((name) => html`<th scope="col" key=${name}>${name || html`<span class="aside">Actions</span>`}</th>`)}</tr>
      </thead>
      <tbody>
        ${nodes.map((node, place) => html`<${NodeRow} node=${node} place=${place} total=${partitions.total} onDrain=${onDrain} key=${node.id} />`)}
      </tbody>
    </table>
  </section>`
}

/**
 * @param {{ node: OpsNode, place: number, total: number, onDrain: (node: OpsNode) => void }} props
 */
function NodeRow({ node, place, total, onDrain }) {
  const { figures, lease_age_s, release, started_at, partitions, cpu, per_second } = node
  const { text, style } = stateOf(node)
  const loop_ms = figures && (figures.loop_delay_seconds ?? 0) * 1000
  return html`<tr>
    <${Cell} class="ops-first">
      <div class="ops-node"><i class="ops-dot hue-${place % HUES}"></i>
        <div class="ops-two"><b>${node.host}</b><span class="faint"><code>${node.id.slice(0, 6)}</code> · ${release ? `release ${release}` : 'older release'}</span></div>
      </div>
    <//>
    <${Cell} name="State"><span class="badge ${style}">${text}</span><//>
    <${Cell} name="Started"><span title="Process ${node.pid}, started at ${started_at}">${upFor(started_at)}</span><//>
    <${Cell} name="Lease">${lease_age_s === null ? '–' : `${lease_age_s.toFixed(1)} s ago`}<//>
    <${Cell} name="Partitions">
      <div class="ops-share"><span>${number(partitions)}</span><${Share} part=${partitions / (total || 1)} /></div>
    <//>
    <${Cell} name="Load">${per_second === null ? '–' : perSecond(per_second)}<//>
    <${Cell} name="CPU">${cpu === null ? '–' : `${Math.round(cpu * 100)}%`}<//>
    <${Cell} name="Event loop"><span class=${loop_ms && loop_ms > 100 ? 'ops-bad' : ''}>${loop_ms === null ? '–' : `${Math.round(loop_ms)} ms`}</span><//>
    <${Cell} name="Memory">${figures ? `${number(Math.round((figures.memory_bytes ?? 0) / 1e6))} MB` : '–'}<//>
    <${Cell} class="ops-acts">
      ${!node.leaving && html`<button type="button" class="quiet" aria-label="Drain ${nodeName(node)}" onClick=${() => onDrain(node)}>Drain…</button>`}
    <//>
  </tr>`
}

/**
 * @param {{ api: import('../data/api.js').Api, node: OpsNode, onClose(): void }} props
 */
function DrainQuestion({ api, node, onClose }) {
  const act = async () => {
    await api.request('POST', `ops/cluster/nodes/${node.id}/drain`)
    toast(`${nodeName(node)} gives its partitions away`)
  }
  return html`<${Question} title="Drain this node?" act_text="Drain the node" act=${act} onClose=${onClose}>
    <p>
      ${nodeName(node)} gives its partitions to the other nodes, a few at a time, and gets none until it is started again.
      It goes on taking requests. Do this before you stop it, with at least one other node running.
    </p>
  <//>`
}

/**
 * @param {{ reading: OverviewReading }} props
 */
function Partitions({ reading: { nodes, partitions } }) {
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
  return html`<section class="card ops-partitions" aria-labelledby="ops-partitions">
    <h2 id="ops-partitions" class="ops-card-title">Partitions <span class="faint">${number(total)} · ${words}</span></h2>
    ${
      total <= MAX_CELLS &&
      html`<div class="ops-cells" aria-hidden="true">
        ${owners.map((owner, at) => {
          const node = owner === null ? undefined : nodes[owner]
          const title = `Partition ${at}: ${node ? nodeName(node) : 'no owner'}`
          return html`<i class=${node ? `hue-${/** @type {number} */ (owner) % HUES}` : 'none'} title=${title} key=${at}></i>`
        })}
      </div>`
    }
    <ul class="ops-legend">
      ${shares.map(({ node, place, count }) => {
        return html`<li key=${node.id}><i class="ops-dot hue-${place % HUES}"></i>${nodeName(node)} <b>${number(count)}</b></li>`
      })}
      ${orphans > 0 && html`<li class="ops-bad"><i class="ops-dot none"></i>No owner <b>${number(orphans)}</b></li>`}
    </ul>
  </section>`
}

/**
 * @param {{ overview: Overview }} props
 */
function Changes({ overview }) {
  const changes = overview.changes.value
  return html`<section class="card ops-changes" aria-labelledby="ops-changes">
    <h2 id="ops-changes" class="ops-card-title">Since you opened this page</h2>
    ${changes.length === 0 && html`<p class="faint">No node came or went.</p>`}
    <ol aria-live="polite">
      ${changes.map(({ at, text, is_bad }, n) => {
        return html`<li class=${is_bad ? 'ops-bad' : ''} key=${changes.length - n}><${Moment} at=${at} /> ${text}</li>`
      })}
    </ol>
  </section>`
}
