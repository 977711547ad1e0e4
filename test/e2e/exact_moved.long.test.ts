/** Every exact promise holds while partitions change hands. */
import t from 'tap'
import { eventually } from './client.ts'
import { revocationIsExact, revocations, signingKeyIsExact, windowIsExact, windows } from './exact/access.ts'
import { contactIsExact, inboundIsExact, keyIsExact, pollIsExact } from './exact/messages.ts'
import { beginExact, pace, upTo } from './exact/nodes.ts'
import { appointmentsAreExact, erasureIsExact, ledgerIsExact } from './exact/people.ts'
import { identityIsExact, knowledgeIsExact } from './exact/records.ts'
import { eventKeyIsExact, openTicketIsExact, reopeningIsExact, siblingsAreExact } from './exact/tickets.ts'

const { cluster } = await beginExact(t)

t.test('every promise holds while the partitions of a node go to the other', async (t) => {
  pace.spread_ms = 1500
  pace.begun = 0
  const checks = [
    // Each check runs several times, so that some of its projects move and some stay.
    ...[...windows, ...windows].map((window) => windowIsExact(t, window)),
    ...[...revocations, ...revocations].map(([what, revoke, success]) => revocationIsExact(t, what, revoke, success)),
    ...upTo(4).map(() => keyIsExact(t)),
    ...upTo(4).map(() => contactIsExact(t)),
    ...upTo(2).map(() => inboundIsExact(t)),
    ...upTo(3).map(() => pollIsExact(t)),
    ...upTo(2).map(() => signingKeyIsExact(t)),
    ...upTo(2).map(() => eventKeyIsExact(t)),
    ...upTo(2).map(() => siblingsAreExact(t)),
    ...upTo(3).map(() => openTicketIsExact(t)),
    ...upTo(2).map(() => reopeningIsExact(t)),
    ...upTo(2).map(() => identityIsExact(t)),
    ...upTo(2).map(() => knowledgeIsExact(t)),
    ...upTo(2).map(() => erasureIsExact(t)),
    ...upTo(2).map(() => appointmentsAreExact(t)),
    ...upTo(2).map(() => ledgerIsExact(t)),
  ]
  const all = Promise.all(checks)
  await eventually('the checks are under way', () => pace.begun > 300)
  const before = pace.begun
  await cluster.drain(cluster.nodes[1]!)
  t.ok(pace.begun > before, `${pace.begun - before} requests began while partitions moved`)
  await all
})
