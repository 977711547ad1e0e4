/** The readings of the last 15 minutes, in bounded memory, and the rates between two of them. */
import type { Figures, NodeActivity } from '../../routes/node_activity.ts'

const KEPT_MS = 15 * 60_000
const MAX = 250
/** Readings further apart say nothing about a rate now. */
const MAX_GAP_MS = 120_000

/** Counters whose rates are shown. */
const RATES = [
  'requests',
  'request_errors',
  'turns',
  'messages',
  'sends',
  'sends_failed',
  'webhooks',
  'webhooks_failed',
  'faults',
] as const satisfies (keyof Figures)[]
/** Backlogs that a chart shows. */
const CHARTED = [
  'outbox',
  'inboxes',
  'timers_overdue',
  'sends',
  'deliveries_pending',
  'deliveries_retrying',
  'documents',
  'dead_letters',
]

type Values = Record<string, number>
export type Sample = { at: string; values: Values; hot: Values }
type NodeRates = { cpu: number; per_second: number }

export class Samples {
  #kept: Sample[] = []
  #last: { at: Date; figures: Map<string, Figures> } | undefined

  /** The samples after this time; ISO 8601. All without one. */
  after(since: string | undefined): Sample[] {
    return since === undefined ? this.#kept : this.#kept.filter(({ at }) => at > since)
  }

  /** Keeps a reading. Rates are empty for the first one, and after a long pause. */
  take(
    at: Date,
    backlogs: Values,
    reports: readonly NodeActivity[],
    tenants: readonly { project_id: string; per_second: number }[],
  ): { rates: Values; by_node: Map<string, NodeRates> } {
    const figures = new Map(reports.map((report) => [report.node, report.figures]))
    const last = this.#last
    this.#last = { at, figures }
    const seconds = last ? (at.getTime() - last.at.getTime()) / 1000 : 0
    const is_near = last !== undefined && seconds > 0 && seconds * 1000 <= MAX_GAP_MS
    const rates = is_near ? ratesOf(last.figures, figures, seconds) : {}
    const by_node = is_near ? nodeRates(last.figures, figures, seconds) : new Map<string, NodeRates>()
    const charted = Object.fromEntries(CHARTED.map((name) => [name, backlogs[name] ?? 0]))
    const loop_ms = Math.max(0, ...reports.map((report) => report.figures.loop_delay_seconds * 1000))
    const values: Values = { ...charted, ...prefixed(rates), loop_ms: rounded(loop_ms) }
    const hot = Object.fromEntries(tenants.map(({ project_id, per_second }) => [project_id, rounded(per_second)]))
    const oldest = new Date(at.getTime() - KEPT_MS).toISOString()
    this.#kept = [...this.#kept.filter((kept) => kept.at >= oldest), { at: at.toISOString(), values, hot }].slice(-MAX)
    return { rates, by_node }
  }
}

/** Names of rates in a sample: backlogs have the same names otherwise. */
function prefixed(rates: Values): Values {
  return Object.fromEntries(Object.entries(rates).map(([name, value]) => [`${name}_per_second`, value]))
}

/** The sum over the nodes that both readings have. A counter that went back belongs to a node that was started again. */
function ratesOf(before: Map<string, Figures>, after: Map<string, Figures>, seconds: number): Values {
  const sum = (name: keyof Figures) => {
    let all = 0
    for (const [node, figures] of after) all += Math.max(0, figures[name] - (before.get(node)?.[name] ?? figures[name]))
    return rounded(all / seconds)
  }
  return Object.fromEntries(RATES.map((name) => [name, sum(name)]))
}

function nodeRates(before: Map<string, Figures>, after: Map<string, Figures>, seconds: number): Map<string, NodeRates> {
  const rates = new Map<string, NodeRates>()
  for (const [node, figures] of after) {
    const then = before.get(node)
    if (!then || figures.cpu_seconds < then.cpu_seconds) continue
    const since = (name: keyof Figures) => Math.max(0, figures[name] - then[name]) / seconds
    rates.set(node, { cpu: rounded(since('cpu_seconds')), per_second: rounded(since('turns') + since('requests')) })
  }
  return rates
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
