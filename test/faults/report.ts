/** The printed lines and tables of rounds. */
import type { Outcome } from './round.ts'

export function lineOf({
  number,
  seed,
  fault,
  workload,
  counts,
  recovery_ms,
  took_ms,
  findings,
  what,
}: Outcome): string {
  const { sends, inbound, changes, deliveries } = counts
  const cell = `${fault} × ${workload}`
  const verdict = findings.length === 0 ? 'ok' : `FAILED (${findings.length})`
  return [
    String(number).padStart(4),
    `seed ${String(seed).padEnd(9)}`,
    cell.padEnd(26),
    `${sends} sends, ${inbound} inbound, ${changes} changes, ${deliveries} deliveries`.padEnd(57),
    `recovered ${recovery_ms} ms`.padEnd(19),
    `${(took_ms / 1000).toFixed(1)} s`.padStart(6),
    `${verdict}  ${what}`,
  ].join('  ')
}

const KINDS = ['lost', 'doubled', 'reordered', 'stuck', 'stale', 'surprise'] as const

/** Returns the counts for each cell and in total, as Markdown. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = new Map<string, Outcome[]>()
  for (const outcome of outcomes) {
    const cell = `${outcome.fault} × ${outcome.workload}`
    rows.set(cell, [...(rows.get(cell) ?? []), outcome])
  }
  const heads = [
    'fault × workload',
    'rounds',
    'sends',
    'inbound',
    'changes',
    'deliveries',
    'median ms',
    'worst ms',
    ...KINDS,
  ]
  const lines = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([cell, all]) => row(cell, all))
  const rule = heads.map((_, index) => (index === 0 ? '---' : '--:'))
  return [heads, rule, ...lines, row('total', outcomes)].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function row(name: string, outcomes: readonly Outcome[]): string[] {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + of(outcome), 0)
  const times = outcomes.map(({ recovery_ms }) => recovery_ms).sort((a, b) => a - b)
  const numbers = [
    outcomes.length,
    sum(({ counts }) => counts.sends),
    sum(({ counts }) => counts.inbound),
    sum(({ counts }) => counts.changes),
    sum(({ counts }) => counts.deliveries),
    times[Math.floor(times.length / 2)] ?? 0,
    times.at(-1) ?? 0,
    ...KINDS.map((kind) => sum(({ findings }) => findings.filter((one) => one.kind === kind).length)),
  ]
  return [name, ...numbers.map(String)]
}
