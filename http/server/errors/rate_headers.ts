import type { Admission, Window, WindowName, Windows } from '../../../actors/mod.ts'
import type { ApiError } from './api_error.ts'

/** The `X-RateLimit-…` lines of an answer, each ended, ready to be written in one piece. */
export function rateHeaders(windows: Windows): string {
  if ('ingest' in windows) return lines('ingest', windows.ingest)
  if ('poll' in windows) return lines('poll', windows.poll)
  return lines('minute', windows.minute) + lines('hour', windows.hour) + lines('day', windows.day)
}

function lines(name: WindowName, { limit, remaining, reset }: Window) {
  return `X-RateLimit-Limit-${name}: ${limit}\r\nX-RateLimit-Remaining-${name}: ${remaining}\r\nX-RateLimit-Reset-${name}: ${reset}\r\n`
}

/** Names of windows in sentences, where they differ. */
const PER: Partial<Record<WindowName, string>> = { ingest: 'minute of event ingest', poll: 'minute of polls' }

type Throttled = Extract<Admission, { code: 'THROTTLED' }>

/** The error of a request that the project does not admit, and the header lines that go with it. */
export function refusalOf(admission: Extract<Admission, { ok: false }>): { failure: ApiError; headers: string } {
  if (admission.code === 'UNAUTHENTICATED') return { failure: { code: 'UNAUTHENTICATED' }, headers: '' }
  if (admission.code === 'SESSION_OVER') return { failure: { code: 'UNAUTHENTICATED' }, headers: '' }
  if (admission.code === 'INSUFFICIENT_PERMISSION') return { failure: lacking(admission.required), headers: '' }
  const headers = admission.windows === undefined ? '' : rateHeaders(admission.windows)
  if (admission.code === 'THROTTLED') {
    return { failure: throttled(admission), headers: headers + retryHeaders(admission) }
  }
  const { required, missing } = admission
  const message = `The token lacks the scope ${missing.join(', ')}, which this operation needs.`
  return { failure: { code: 'INSUFFICIENT_SCOPE', message, details: { required, missing } }, headers }
}

/** The error of an agent without the permission of an operation. */
export function lacking(required: string): ApiError {
  return { code: 'INSUFFICIENT_PERMISSION', details: { required } }
}

/** `Retry-After-<window>` for each exceeded window; the plain one comes with the failure. */
function retryHeaders({ windows, exceeded }: Throttled): string {
  return exceeded.map((name) => `Retry-After-${name}: ${resetOf(windows, name)}\r\n`).join('')
}

/** Names the exceeded window that lasts longest and when it resets. */
function throttled({ windows, exceeded }: Throttled): ApiError {
  const resets = exceeded.map((name) => ({ name, reset: resetOf(windows, name) }))
  const { name, reset } = resets.reduce((longest, each) => (each.reset > longest.reset ? each : longest))
  const limit = windowOf(windows, name).limit
  const per = PER[name] ?? name
  return {
    code: 'THROTTLED',
    message: `The project's limit of ${limit} requests per ${per} is used up; the window resets in ${reset} seconds.`,
    details: { exceeded },
    retry_after: reset,
  }
}

/** At least 1: a client told to retry after 0 seconds would be refused again. */
function resetOf(windows: Windows, name: WindowName): number {
  return Math.max(1, windowOf(windows, name).reset)
}

function windowOf(windows: Windows, name: WindowName): Window {
  return (windows as Partial<Record<WindowName, Window>>)[name]!
}
