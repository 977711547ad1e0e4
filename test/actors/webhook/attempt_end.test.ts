import t from 'tap'
import { abandon, endAttempt } from '../../../actors/webhook/mod.ts'

const now = new Date('2026-11-21T03:00:00Z')
const circumstances = { now, is_wanted: true, random: () => 0 }
const ok = { outcome: 'success', status_code: 200, duration_ms: 12, error: null, retry_after_s: undefined } as const
const refused = {
  outcome: 'final',
  status_code: 410,
  duration_ms: 12,
  error: 'http_410',
  retry_after_s: undefined,
} as const
const failed = {
  outcome: 'retryable',
  status_code: null,
  duration_ms: 9,
  error: 'timeout',
  retry_after_s: undefined,
} as const
const fresh = { status: 'pending', attempts: 0, next_attempt_at: null } as const

t.test('a success', async (t) => {
  t.strictSame(endAttempt(fresh, ok, circumstances), {
    status: 'success',
    status_code: 200,
    attempts: 1,
    duration_ms: 12,
    last_error: null,
    next_attempt_at: null,
    delivered_at: now,
  })
})

t.test('a refusal is final', async (t) => {
  t.match(endAttempt(fresh, refused, circumstances), {
    status: 'failed',
    last_error: 'http_410',
    next_attempt_at: null,
  })
})

t.test('five failures', async (t) => {
  const pauses: unknown[] = []
  let delivery: Parameters<typeof endAttempt>[0] = fresh
  for (let attempt = 1; attempt <= 5; attempt++) {
    const after = endAttempt({ ...delivery, status: 'pending', next_attempt_at: null }, failed, circumstances)
    pauses.push(after.next_attempt_at && (after.next_attempt_at.getTime() - now.getTime()) / 1000)
    t.equal(after.status, attempt < 5 ? 'failed' : 'dead')
    t.match(after, { attempts: attempt, last_error: 'timeout', delivered_at: null })
    delivery = after
  }
  t.strictSame(pauses, [5, 300, 1800, 7200, null])
})

t.test('Retry-After is heard', async (t) => {
  const after = endAttempt(fresh, { ...failed, status_code: 429, retry_after_s: 60 }, circumstances)
  t.equal(after.next_attempt_at?.getTime(), now.getTime() + 60_000)
})

t.test('the subscription went away meanwhile', async (t) => {
  const unwanted = { ...circumstances, is_wanted: false }
  t.match(endAttempt(fresh, ok, unwanted), { status: 'success' })
  t.match(endAttempt(fresh, refused, unwanted), { status: 'failed', last_error: 'http_410' })
  t.match(endAttempt(fresh, failed, unwanted), {
    status: 'failed',
    last_error: 'subscription_disabled',
    next_attempt_at: null,
    attempts: 1,
  })
  for (const delivery of [fresh, { status: 'failed', next_attempt_at: now } as const])
    t.strictSame(abandon(delivery), { status: 'failed', last_error: 'subscription_disabled', next_attempt_at: null })
})
