/** One sample of `parley top`: an answer of the server, and rates since the answer before. */

export type Figures = Record<
  | 'requests'
  | 'request_errors'
  | 'requests_in_flight'
  | 'turns'
  | 'messages'
  | 'commits'
  | 'sends'
  | 'sends_failed'
  | 'webhooks'
  | 'webhooks_failed'
  | 'faults'
  | 'cpu_seconds'
  | 'memory_bytes'
  | 'loop_delay_seconds'
  | 'actors'
  | 'waiting',
  number
>

type Node = {
  id: string
  host: string
  pid: number
  started_at: string
  leaving: boolean
  is_connected: boolean
  partitions: number
  figures: Figures | null
}

/** The answer of `GET /admin/v1/activity`. */
export type Activity = {
  at: string
  nodes: Node[]
  partitions: { total: number; without_owner: number }
  lags: Record<
    | 'messages'
    | 'sends'
    | 'sends_oldest_s'
    | 'webhooks'
    | 'webhooks_overdue_s'
    | 'documents'
    | 'documents_overdue_s'
    | 'dead_letters',
    number
  >
  hot: { project_id: string; project: string; company: string; per_second: number; share: number }[]
  warnings: string[]
}

/** Counters whose growth a second is shown. `cpu_seconds` becomes the part of a processor that is in use. */
const COUNTERS = [
  'requests',
  'request_errors',
  'turns',
  'messages',
  'commits',
  'sends',
  'sends_failed',
  'webhooks',
  'webhooks_failed',
  'faults',
  'cpu_seconds',
] as const

export type Rates = Record<(typeof COUNTERS)[number], number>

/** Rates are null for a node that did not report twice. */
export type Sample = Omit<Activity, 'nodes'> & {
  /** Seconds between the two answers. */
  seconds: number
  rates: Rates
  nodes: (Node & { rates: Rates | null })[]
}

/** The rates of `now` since `before`, by node and of all nodes together. */
export function sampleOf(before: Activity, now: Activity): Sample {
  const seconds = (Date.parse(now.at) - Date.parse(before.at)) / 1000
  const former = new Map(before.nodes.map((node) => [node.id, node.figures]))
  const nodes = now.nodes.map((node) => ({ ...node, rates: ratesOf(former.get(node.id), node.figures, seconds) }))
  const rates = Object.fromEntries(
    COUNTERS.map((name) => [name, nodes.reduce((sum, { rates }) => sum + (rates?.[name] ?? 0), 0)]),
  ) as Rates
  return { ...now, seconds, rates, nodes }
}

function ratesOf(before: Figures | null | undefined, now: Figures | null, seconds: number): Rates | null {
  if (!before || !now || seconds <= 0) return null
  return Object.fromEntries(COUNTERS.map((name) => [name, Math.max(0, (now[name] - before[name]) / seconds)])) as Rates
}
