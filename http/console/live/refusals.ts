/** Answers to a page that the console's socket refuses, or whose request it refuses. */
import { EventRefused } from './page_events.ts'

const AGAIN_S = 10

/** Too many sockets of this session, or of this user. */
export function throttled(): Error {
  return Object.assign(new Error('THROTTLED'), { data: { retry_after_s: AGAIN_S } })
}

export function notFound(): EventRefused {
  return new EventRefused({ code: 'NOT_FOUND', message: 'There is no such project.' })
}

export function tooFast(): EventRefused {
  return new EventRefused({ code: 'THROTTLED', message: 'Too much was asked at once. Ask again in a second.' })
}

export function invalidEvent(message: string): EventRefused {
  return new EventRefused({ code: 'VALIDATION_ERROR', message })
}
