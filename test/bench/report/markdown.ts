import { COLUMNS, cellsOf, sayFigures, sayMachine, sayVerdict } from './cells.ts'
import { type Report, scenariosOf } from './report.ts'

/** The report as Markdown, ready for docs/benchmarks.md. */
export function renderMarkdown(report: Report): string {
  const { machine, rounds, seconds, not_run } = report
  const lines = [`${sayMachine(machine)}; ${rounds} rounds of ${seconds} s, medians.`]
  const draw = (cells: string[]) => `| ${cells.join(' | ')} |`
  for (const { scenario, rows, verdicts } of scenariosOf(report)) {
    lines.push(
      '',
      `${scenario}:`,
      '',
      draw(COLUMNS),
      draw(COLUMNS.map(() => '---')),
      ...rows.map(cellsOf).map(draw),
      '',
    )
    lines.push(...rows.flatMap(sayFigures).map((figure) => `- ${figure}`))
    lines.push(...verdicts.map((verdict) => `- ${sayVerdict(verdict)}`))
    lines.push(...rows.flatMap((row) => row.problems.map((problem) => `- ${row.peer}: ${problem}`)))
  }
  for (const [peer, reason] of Object.entries(not_run)) lines.push('', `Not run: ${peer}: ${reason.split('\n')[0]}`)
  return `${lines.join('\n')}\n`
}
