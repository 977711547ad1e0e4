/** The result of `parley upgrade check`, and its words. */
import type { Forecast, StepForecast } from '../../../storage/mod.ts'
import type { Finding } from '../doctor/finding.ts'

/** What `--json` prints. */
export type UpgradeCheck = {
  ready: boolean
  /** Of this program. */
  release: string
  /** Of the nodes that work now. */
  nodes: { release: string | null; count: number }[]
  migrations: StepForecast[]
  seconds: number
  disk_bytes: number
  findings: Finding[]
}

export function durationOf(seconds: number): string {
  if (seconds < 1) return 'a moment'
  if (seconds < 90) return `${Math.round(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

export function openTransactionText({ pid, application, seconds }: Forecast['open_transactions'][number]): string {
  const whose = application === '' ? '' : ` of ${application}`
  return `Session ${pid}${whose} has had a transaction open for ${durationOf(seconds)}: builds of indexes wait for its end.`
}
