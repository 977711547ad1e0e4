/** A sample as lines of text. */
import { paint, table } from '../terminal/terminal.ts'
import type { Figures, Sample } from './sample.ts'

/**
 * @param max_hot tenants that are shown
 * @param columns width of the terminal
 */
export function frameOf(sample: Sample, base_url: string, max_hot: number, columns = Number.POSITIVE_INFINITY): string {
  const { at, nodes, partitions, warnings } = sample
  const head = `${paint('bold', 'parley top')}  ${base_url}  ${at.slice(11, 19)} UTC`
  const orphans = partitions.without_owner
  const owned = orphans === 0 ? 'all owned' : paint('yellow', `${orphans} without an owner`)
  return [
    head,
    `${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}, ${partitions.total} partitions, ${owned}`,
    ...warnings.map((warning) => paint('red', warning)),
    '',
    ...ratesOf(sample),
    ...lagsOf(sample),
    '',
    nodesOf(sample, columns),
    hotOf(sample, max_hot),
  ].join('\n')
}

function ratesOf({ rates }: Sample): string[] {
  const failed = (count: number, what: string) => (count > 0 ? paint('red', ` (${rate(count)} ${what})`) : '')
  return [
    [
      `requests ${rate(rates.requests)}/s${failed(rates.request_errors, 'errors')}`,
      `sends ${rate(rates.sends)}/s${failed(rates.sends_failed, 'failed')}`,
      `webhooks ${rate(rates.webhooks)}/s${failed(rates.webhooks_failed, 'failed')}`,
    ],
    [
      `turns ${rate(rates.turns)}/s${failed(rates.faults, 'faults')}`,
      `messages ${rate(rates.messages)}/s`,
      `commits ${rate(rates.commits)}/s`,
    ],
  ].map((parts) => parts.join('   '))
}

function lagsOf({ lags }: Sample): string[] {
  const late = (count: number, seconds: number, word: string) =>
    `${count}${count > 0 ? ` (${word} ${span(seconds)})` : ''}`
  const waiting = [
    `messages ${lags.messages}`,
    `sends ${late(lags.sends, lags.sends_oldest_s, 'oldest')}`,
    `webhooks ${late(lags.webhooks, lags.webhooks_overdue_s, 'overdue')}`,
    `documents ${late(lags.documents, lags.documents_overdue_s, 'overdue')}`,
  ]
  const letters = lags.dead_letters === 0 ? [] : [paint('yellow', `dead letters ${lags.dead_letters}`)]
  return [`waiting: ${[...waiting, ...letters].join('   ')}`]
}

type Column = { heading: string; of(node: SampledNode): string }
type SampledNode = Sample['nodes'][number]

/** Characters of a process that are shown at least. */
const PROCESS_WIDTH = 16

const figure = (value: (figures: Figures) => string) => (node: SampledNode) =>
  node.figures ? value(node.figures) : '–'
const growth = (name: 'requests' | 'turns' | 'commits') => (node: SampledNode) =>
  node.rates ? rate(node.rates[name]) : '–'

/** Columns of the nodes. Of those after the first ones, as many are shown as fit. */
const nodeColumns = (at: string): Column[] => [
  { heading: 'node', of: ({ id }) => id },
  { heading: 'state', of: stateOf },
  { heading: 'process', of: ({ host, pid }) => `${host}:${pid}` },
  { heading: 'up', of: ({ started_at }) => span((Date.parse(at) - Date.parse(started_at)) / 1000) },
  { heading: 'partitions', of: ({ partitions }) => String(partitions) },
  { heading: 'cpu', of: ({ rates }) => (rates ? `${Math.round(rates.cpu_seconds * 100)} %` : '–') },
  { heading: 'memory', of: figure(({ memory_bytes }) => `${Math.round(memory_bytes / 1_048_576)} MB`) },
  { heading: 'loop', of: figure(({ loop_delay_seconds }) => `${Math.round(loop_delay_seconds * 1000)} ms`) },
  { heading: 'requests', of: growth('requests') },
  { heading: 'taken in', of: figure(({ waiting }) => String(waiting)) },
  { heading: 'turns', of: growth('turns') },
  { heading: 'commits', of: growth('commits') },
]

function stateOf({ leaving, is_connected, figures }: SampledNode): string {
  return leaving ? 'draining' : !is_connected ? 'not connected' : figures ? 'ok' : 'silent'
}

function nodesOf({ at, nodes }: Sample, columns: number): string {
  const lines: string[][] = []
  let width = -2
  for (const { heading, of } of nodeColumns(at)) {
    const cells = [heading, ...nodes.map(of)]
    const longest = Math.max(...cells.map(({ length }) => length))
    // The table shortens the names of processes.
    width += 2 + (heading === 'process' ? Math.min(longest, PROCESS_WIDTH) : longest)
    if (width > columns) break
    lines.push(cells)
  }
  const rows = nodes.map((_, index) => lines.map((cells) => cells[index + 1]!))
  const headings = lines.map(([heading]) => heading!)
  return table(headings, rows, 2)
}

function hotOf({ hot }: Sample, most: number): string {
  if (hot.length === 0) return paint('dim', 'No project makes work.\n')
  const rows = hot.slice(0, most).map(({ project_id, project, company, per_second, share }) => {
    return [project_id, rate(per_second), `${Math.round(share * 100)} %`, company, project]
  })
  return table(['project', 'work/s', 'share', 'company', 'name'], rows, 4)
}

/** One decimal place below ten. */
function rate(value: number): string {
  return value >= 9.95 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)
}

/** `42 s`, `3 min`, `5 h`, `12 d`. */
function span(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`
}
