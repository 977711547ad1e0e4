/** Waiting work, its pace, and the projects that it is for. */

import { duration, percent, perSecond } from '../ui/format/figures.ts'
import { number } from '../ui/format/format.ts'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import { Chart, Spark } from './chart.tsx'
import { pointsOf, spanOf } from './chart_lines.ts'
import { Cell, Share } from './listing.tsx'
import type { Overview } from './overview.ts'
import type { Overview as OverviewReading, Sample } from './records.ts'

type Values = Record<string, number>
/** `age` is the name of the seconds that the oldest has waited, `more` a further remark. */
type Card = {
  title: string
  hint: string
  series: [name: string, key: string][]
  age?: string
  more?: (backlogs: Values) => string
  show?: (value: number) => string
}

/** Counts stop here. */
const MAX = 100_000

const BACKLOGS: Card[] = [
  {
    title: 'Outbox',
    hint: 'messages between actors, committed and not yet applied',
    series: [['waiting', 'outbox']],
    age: 'outbox_oldest_s',
  },
  { title: 'Inboxes', hint: 'messages that nodes took in and have not yet applied', series: [['waiting', 'inboxes']] },
  {
    title: 'Timers',
    hint: 'due, and not yet fired',
    series: [['overdue', 'timers_overdue']],
    age: 'timers_overdue_s',
    more: ({ timers = 0 }) => `${counted(timers)} set in all`,
  },
  { title: 'Sends', hint: 'messages on their way to providers', series: [['queued', 'sends']], age: 'sends_oldest_s' },
  {
    title: 'Webhook deliveries',
    hint: 'waiting for an attempt',
    series: [
      ['first attempt', 'deliveries_pending'],
      ['repeat', 'deliveries_retrying'],
    ],
    age: 'deliveries_overdue_s',
    more: ({ deliveries_dead = 0 }) =>
      `${deliveries_dead >= 1000 ? '1,000 or more' : number(deliveries_dead)} given up`,
  },
  {
    title: 'Index',
    hint: 'documents of the knowledge to be indexed',
    series: [['waiting', 'documents']],
    age: 'documents_overdue_s',
  },
]

const WORK: Card[] = [
  {
    title: 'Requests',
    hint: 'answered a second',
    series: [
      ['all', 'requests_per_second'],
      ['errors', 'request_errors_per_second'],
    ],
    show: perSecond,
  },
  {
    title: 'Actors',
    hint: 'turns and messages a second',
    series: [
      ['messages', 'messages_per_second'],
      ['turns', 'turns_per_second'],
    ],
    show: perSecond,
  },
  {
    title: 'Sends to providers',
    hint: 'tries a second',
    series: [
      ['all', 'sends_per_second'],
      ['refused', 'sends_failed_per_second'],
    ],
    show: perSecond,
  },
  {
    title: 'Webhook attempts',
    hint: 'a second',
    series: [
      ['all', 'webhooks_per_second'],
      ['failed', 'webhooks_failed_per_second'],
    ],
    show: perSecond,
  },
  {
    title: 'Event loop',
    hint: 'the longest delay of all nodes',
    series: [['delay', 'loop_ms']],
    show: (ms) => `${number(Math.round(ms))} ms`,
  },
]

export function BacklogsPage({ overview }: { overview: Overview }) {
  const reading = overview.reading.value
  const fault = overview.fault.value
  if (!reading && fault) {
    return <Trouble title="The backlogs could not be read" error={fault} onRetry={() => overview.read()} />
  }
  if (!reading) return <Waiting label="Loading the backlogs" rows={4} />
  const samples = overview.samples.value
  const until = Date.parse(reading.at)
  const span = spanOf(samples)
  const draw = (card: Card) => (
    <ChartCard card={card} reading={reading} samples={samples} until={until} span={span} key={card.title} />
  )
  return (
    <>
      {fault && <Trouble title="These figures are outdated" error={fault} onRetry={() => overview.read()} />}
      <section aria-labelledby="ops-waiting">
        <h2 id="ops-waiting" class="ops-heading">
          What waits
        </h2>
        <div class="ops-charts">{BACKLOGS.map(draw)}</div>
      </section>
      <section aria-labelledby="ops-work">
        <h2 id="ops-work" class="ops-heading">
          What is done
        </h2>
        <div class="ops-charts">{WORK.map(draw)}</div>
      </section>
      <Hot reading={reading} samples={samples} until={until} span={span} />
    </>
  )
}

function ChartCard({
  card,
  reading,
  samples,
  until,
  span,
}: {
  card: Card
  reading: OverviewReading
  samples: readonly Sample[]
  until: number
  span: number
}) {
  const { title, hint, age, more, show = counted } = card
  const series = card.series.map(([name, key]) => ({ name, points: pointsOf(samples, ({ values }) => values[key]) }))
  const now = series.reduce((sum, { points }) => sum + (points.at(-1)?.value ?? 0), 0)
  const first = card.show ? series[0]?.points.at(-1)?.value : now
  const late_s = age === undefined ? 0 : (reading.backlogs[age] ?? 0)
  const words = [late_s >= 1 && `oldest ${duration(late_s * 1000)}`, more?.(reading.backlogs)]
    .filter(Boolean)
    .join(' · ')
  return (
    <article class="card ops-chart-card">
      <header>
        <h3>{title}</h3>
        <p class="ops-value">{first === undefined ? '–' : show(first)}</p>
      </header>
      <p class="faint ops-hint">
        {hint}
        {words && <span class="ops-words"> · {words}</span>}
      </p>
      <Chart label={title} series={series} until={until} span={span} show={show} />
    </article>
  )
}

function Hot({
  reading: { hot },
  samples,
  until,
  span,
}: {
  reading: OverviewReading
  samples: readonly Sample[]
  until: number
  span: number
}) {
  return (
    <section aria-labelledby="ops-hot">
      <h2 id="ops-hot" class="ops-heading">
        Busiest projects
      </h2>
      {hot.length === 0 ? (
        <div class="card ops-quiet faint">No project has anything to do.</div>
      ) : (
        <div class="card ops-list">
          <table class="ops-table">
            <thead>
              <tr>
                <th scope="col">Project</th>
                <th scope="col">Requests and messages</th>
                <th scope="col">Share</th>
                <th scope="col">Lately</th>
              </tr>
            </thead>
            <tbody>
              {hot.map(({ project_id, project, company, per_second, share }) => {
                const points = pointsOf(samples, (sample) => sample.hot[project_id] ?? 0)
                return (
                  <tr key={project_id}>
                    <Cell class="ops-first">
                      <div class="ops-two">
                        <b>{project}</b>
                        <span class="faint">{company}</span>
                      </div>
                    </Cell>
                    <Cell name="Requests and messages">{perSecond(per_second)}</Cell>
                    <Cell name="Share">
                      <div class="ops-share">
                        <span>{percent(share, 1)}</span>
                        <Share part={share} />
                      </div>
                    </Cell>
                    <Cell name="Lately">
                      <Spark
                        label={`${project} over ${span / 60_000} minutes`}
                        points={points}
                        until={until}
                        span={span}
                      />
                    </Cell>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function counted(value: number) {
  return value >= MAX ? `${number(MAX)}+` : number(Math.round(value))
}
