/** The words of a trace for a message that has not left. */
import t from 'tap'
import { stepsOf } from '../../http/admin/operations/trace_steps.ts'
import type { TraceRows } from '../../storage/mod.ts'

const AT = new Date('2026-12-01T12:00:00Z')
const NOT_CALLED = { attempts: 0, next_attempt_at: null, error: null, behind: null }

const reasonFor = (waiting: object, channel_state?: string) => {
  const message = {
    id: 'msg_1',
    channel: 'whatsapp',
    type: 'text',
    channel_id: 'c',
    direction: 'outbound',
    created_at: AT,
  }
  const messages = [{ ...message, waiting: { ...NOT_CALLED, ...waiting }, channel_state }]
  const rows = { messages, events: [], deliveries: [], attempts: [], audit_entries: [] } as unknown as TraceRows
  return stepsOf(rows).find(({ step }) => step === 'waiting')?.detail
}

t.test('a message that has not left says what it waits for', async (t) => {
  t.equal(reasonFor({}), 'for its turn')
  t.equal(reasonFor({ attempts: 1 }), 'for the answer of the provider')
  t.equal(reasonFor({ attempts: 1, next_attempt_at: AT }), 'for the next attempt')
  t.equal(reasonFor({ behind: 'msg_0' }), 'behind msg_0')
  t.equal(reasonFor({}, 'disconnected'), 'for its turn, the channel is disconnected')
})
