import type { Row } from '../compare.ts'
import { quantile, say, spreadOf } from './figures.ts'
import type { Verdict } from './goal.ts'
import type { Report } from './report.ts'

/** The report as text: one table per scenario, then what became of each target. */
export function render(report: Report): string {
  const scenarios = [...new Set([...report.rows, ...report.verdicts].map((line) => line.scenario))]
  const lines = [`\n${report.id}: ${report.summary}`]
  for (const scenario of scenarios) {
    lines.push('', `  ${scenario}`, ...table(report.rows.filter((row) => row.scenario === scenario)))
    lines.push(...report.verdicts.filter((verdict) => verdict.scenario === scenario).map(sayVerdict))
  }
  for (const [peer, reason] of Object.entries(report.not_run)) lines.push('', `  not run: ${peer}: ${reason}`)
  return lines.join('\n')
}

function table(rows: Row[]): string[] {
  if (rows.length === 0) return []
  const cells = rows.map((row) => {
    const rate = spreadOf(row.rounds.map((round) => round.operations / round.seconds))
    const middle = (pick: 'p50_ms' | 'p99_ms') =>
      quantile(
        row.rounds.map((round) => round[pick]),
        0.5,
      )
    const cpu = Object.keys(row.cpu[0] ?? {}).map(
      (name) =>
        [
          name,
          quantile(
            row.cpu.map((round) => round[name]!),
            0.5,
          ),
        ] as const,
    )
    const total = cpu.reduce((sum, [, seconds]) => sum + seconds, 0)
    return [
      row.peer,
      say(rate.median),
      `${say(rate.min)}–${say(rate.max)}`,
      say(middle('p50_ms')),
      say(middle('p99_ms')),
      `${say(total)} = ${cpu.map(([name, seconds]) => `${name} ${say(seconds)}`).join(' + ')}`,
      Object.entries(row.peak_mib)
        .map(([name, mib]) => `${name} ${say(mib)}`)
        .join(', '),
    ]
  })
  const head = ['', 'ops/s', 'min–max', 'p50 ms', 'p99 ms', 'CPU s/1000 ops', 'peak MiB']
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map((line) => line[at]!.length)))
  const draw = (line: string[]) => `    ${line.map((cell, at) => cell.padEnd(widths[at]!)).join('  ')}`.trimEnd()
  const problems = rows.flatMap((row) => row.problems.map((problem) => `    ! ${row.peer}: ${problem}`))
  return [...[head, ...cells].map(draw), ...problems]
}

function sayVerdict({ text, reached, met }: Verdict): string {
  if (!reached) return `    target: ${text}: not measured`
  const figure = `${say(reached.median)} (${say(reached.min)}–${say(reached.max)})`
  return `    target: ${text}: ${figure}, ${met ? 'met' : 'not met'}`
}
