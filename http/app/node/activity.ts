/**
 * Gathers what the nodes of the cluster do at the moment. The question goes to all nodes over the bus, and each answers
 * with figures that its metrics have anyway. Nothing is kept.
 */
import { randomUUID } from 'node:crypto'
import type { Registry } from 'prom-client'
import type { Log, Node } from '../../../runtime/mod.ts'
import type { METRICS } from '../../metrics/table.ts'
import type { ActivityBoard, Figures, NodeActivity } from '../../routes/node_activity.ts'

const QUESTION = 'activity.ask'
const answersTo = (question: string) => `activity.answer.${question}`

/** Maximum wait for the answers. */
const WAIT_MS = 1000
/** Busy actors that a node names. */
const MAX_HOT = 50

type Source = Pick<Node, 'id' | 'bus' | 'hottest'>

/** Answers the questions of all nodes, and asks them. */
export async function startActivityBoard(
  source: Source,
  registry: Registry,
  log: Log,
): Promise<ActivityBoard & { stop(): void }> {
  const { id: node, bus } = source
  const answer = async (question: string) => {
    const activity: NodeActivity = { node, figures: await figuresOf(registry), hot: source.hottest(MAX_HOT) }
    bus.publish(answersTo(question), JSON.stringify(activity))
  }
  const heard = (question: string) => {
    answer(question).catch((error) => log.warn({ error }, 'the figures of this node cannot be read'))
  }
  const stop = await bus.listen(QUESTION, heard, () => {})
  return { stop, read: (nodes) => ask(source, nodes) }
}

async function ask({ bus }: Source, nodes: readonly string[]): Promise<NodeActivity[]> {
  const question = randomUUID()
  const missing = new Set(nodes)
  const found: NodeActivity[] = []
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const ignore = await bus.listen(
    answersTo(question),
    (text) => {
      const activity = JSON.parse(text) as NodeActivity
      if (!missing.delete(activity.node)) return
      found.push(activity)
      if (missing.size === 0) resolve()
    },
    () => {},
  )
  const timer = setTimeout(resolve, WAIT_MS)
  bus.publish(QUESTION, question)
  await all
  clearTimeout(timer)
  ignore()
  return found
}

type Labels = Partial<Record<string, string | number>>
type Sample = { labels: Labels; metricName?: string | undefined }
/** As a metric gives it; labels that many samples have are apart. */
type Read = { labels?: Labels; sharedLabels?: Labels; metricName?: string; value: number }

const REQUESTS = 'http_server_request_duration_seconds'
const REQUESTS_ANSWERED = `${REQUESTS}_count`

/** The metric of each figure, and the samples that count. */
const metrics: Record<keyof Figures, [metric: keyof typeof METRICS, counts?: (sample: Sample) => boolean]> = {
  requests: [REQUESTS, ({ metricName }) => metricName === REQUESTS_ANSWERED],
  request_errors: [
    REQUESTS,
    ({ metricName, labels }) => metricName === REQUESTS_ANSWERED && Number(labels.http_response_status_code) >= 500,
  ],
  requests_in_flight: ['parley_http_requests_in_flight'],
  turns: ['parley_turns_total'],
  messages: ['parley_actor_messages_total'],
  commits: ['parley_commits_total'],
  sends: ['parley_sends_total'],
  sends_failed: ['parley_sends_total', ({ labels: { outcome } }) => outcome !== 'accepted'],
  webhooks: ['parley_deliveries_total'],
  webhooks_failed: ['parley_deliveries_total', ({ labels: { outcome } }) => outcome !== 'success'],
  faults: ['parley_turn_faults_total'],
  cpu_seconds: ['process_cpu_seconds_total'],
  memory_bytes: ['process_resident_memory_bytes'],
  loop_delay_seconds: ['nodejs_eventloop_lag_p99_seconds'],
  actors: ['parley_actors_resident'],
  waiting: ['parley_inbox_waiting'],
}

async function figuresOf(registry: Registry): Promise<Figures> {
  const pairs = Object.entries(metrics).map(async ([figure, [name, counts = () => true]]) => {
    const { values = [] } = (await registry.getSingleMetric(name)?.get()) ?? {}
    const counted = (values as Read[]).filter(({ labels, sharedLabels, metricName }) =>
      counts({ labels: { ...sharedLabels, ...labels }, metricName }),
    )
    return [figure, counted.reduce((sum, { value }) => sum + (value || 0), 0)]
  })
  return Object.fromEntries(await Promise.all(pairs))
}
