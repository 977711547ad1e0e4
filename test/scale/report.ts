/** The figures of fleets as tables for docs/scaling.md. */
import { say } from '../bench/report/figures.ts'
import type { Outcome } from './scenarios.ts'

export function steadyTable(outcomes: Outcome[]): string {
  const head = [
    '| nodes | partitions | renewals/s | queries/s | rows read/s | PostgreSQL, CPU s/s | KiB/s on the wire | KiB/s of WAL | round trip p50, p99 | published/s, delivered/s |',
    '|---|---|---|---|---|---|---|---|---|---|',
  ]
  const rows = outcomes.map(({ nodes, partitions, steady: s }) =>
    [
      say(nodes),
      say(partitions),
      say(s.renewals),
      say(s.queries),
      say(s.rows),
      say(s.cpu),
      say(s.wire / 1024),
      say(s.log / 1024),
      `${say(s.p50)} ms, ${say(s.p99)} ms`,
      `${say(s.published)}, ${say(s.delivered)}`,
    ].join(' | '),
  )
  return [...head, ...rows.map((row) => `| ${row} |`)].join('\n')
}

export function changeTable(outcomes: Outcome[]): string {
  const head = [
    '| nodes | partitions | change | unserved partitions | for: median, worst | balanced again | moves (least) | queries | rows read | PostgreSQL, CPU s |',
    '|---|---|---|---|---|---|---|---|---|---|',
  ]
  const rows = outcomes.flatMap(({ nodes, partitions, changes }) =>
    changes.map((c) =>
      [
        say(nodes),
        say(partitions),
        c.name,
        say(c.gaps),
        c.gaps > 0 ? `${say(c.median_ms / 1000)} s, ${say(c.worst_ms / 1000)} s` : '–',
        `${say(c.even_ms / 1000)} s`,
        `${say(c.moves)} (${say(c.min_moves)})`,
        say(c.queries),
        say(c.rows),
        say(c.cpu),
      ].join(' | '),
    ),
  )
  return [...head, ...rows.map((row) => `| ${row} |`)].join('\n')
}
