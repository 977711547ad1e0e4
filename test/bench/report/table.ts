import type { Row } from '../compare.ts'
import { COLUMNS, cellsOf, sayFigures, sayMachine, sayVerdict } from './cells.ts'
import { type Report, scenariosOf } from './report.ts'

/** Returns the report for a terminal: one table per scenario, then the verdict on each target. */
export function render(report: Report): string {
  const { id, summary, machine, rounds, seconds, not_run } = report
  const lines = [`\n${id}: ${summary}`, `  ${sayMachine(machine)}`, `  ${rounds} rounds of ${seconds} s, medians`]
  for (const { scenario, rows, verdicts } of scenariosOf(report)) {
    lines.push('', `  ${scenario}`, ...table(rows), ...verdicts.map((verdict) => `    ${sayVerdict(verdict)}`))
  }
  for (const [peer, reason] of Object.entries(not_run)) lines.push('', `  not run: ${peer}: ${reason}`)
  return lines.join('\n')
}

function table(rows: Row[]): string[] {
  if (rows.length === 0) return []
  const cells = rows.map(cellsOf)
  const widths = COLUMNS.map((title, at) => Math.max(title.length, ...cells.map((line) => line[at]!.length)))
  const draw = (line: string[]) => `    ${line.map((cell, at) => cell.padEnd(widths[at]!)).join('  ')}`.trimEnd()
  const problems = rows.flatMap((row) => row.problems.map((problem) => `    ! ${row.peer}: ${problem}`))
  const figures = rows.flatMap(sayFigures).map((figure) => `    ${figure}`)
  return [...[COLUMNS, ...cells].map(draw), ...figures, ...problems]
}
