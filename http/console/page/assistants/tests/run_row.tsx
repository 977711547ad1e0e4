/** A run in a list: its state, and how many tries passed. */

import type { TestRunSummary } from '../../records/test_set.ts'
import { Moment } from '../../ui/format/moment.tsx'
import { rateText, runState } from './words.ts'

export function RunRow({ run, href }: { run: TestRunSummary; href: string }) {
  const { style, word } = runState(run)
  return (
    <li class="tests-run">
      <a href={href}>
        <Moment at={run.created_at} />
      </a>
      <span class={`badge ${style}`}>{word}</span>
      <span class="faint">{rateText(run)}</span>
    </li>
  )
}
