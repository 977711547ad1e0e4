/** The bounds of one address, on a clock that the test turns. */
import { randomBytes } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import t from 'tap'
import { sessionRoutes } from '../../http/console/session.ts'
import { AddressLimits, type AddressLimitsOptions } from '../../http/server/limits/address_limits.ts'
import { widgetRoutes } from '../../http/visitors/widget.ts'
import { generateTokenSecret } from '../../storage/mod.ts'
import { startTestServer } from './test_server.ts'

function limitsAt(options: AddressLimitsOptions = {}) {
  const clock = { ms: 1_000 }
  const limits = new AddressLimits({ people: 10, now: () => clock.ms, ...options })
  /** Returns the number of tries, out of `n`, that are let in. */
  const tries = (n: number, address: string, kind: Parameters<AddressLimits['take']>[1] = 'message') => {
    let taken = 0
    for (let tried = 0; tried < n; tried++) if (!limits.take(address, kind)) taken++
    return taken
  }
  return { clock, limits, tries }
}

t.test('an address has a burst, then a steady rate, and is told how long to wait', (t) => {
  const { clock, limits, tries } = limitsAt()
  t.equal(tries(50, '192.0.2.1'), 10)
  t.strictSame(limits.take('192.0.2.1', 'message'), { retry_after_s: 4 })
  clock.ms += 3_900
  t.ok(limits.take('192.0.2.1', 'message'), 'not before')
  clock.ms += 100
  t.equal(limits.take('192.0.2.1', 'message'), undefined, 'but then')
  clock.ms += 3_600_000
  t.equal(tries(50, '192.0.2.1'), 10, 'no more than the burst is saved up')
  t.equal(limits.refused.message, 40 + 1 + 1 + 40)
  t.end()
})

t.test('kinds and addresses are counted separately', (t) => {
  const { limits, tries } = limitsAt()
  tries(50, '192.0.2.1')
  t.equal(limits.take('192.0.2.2', 'message'), undefined)
  t.equal(limits.take('192.0.2.1', 'history'), undefined)
  t.end()
})

t.test('a look counts nothing, and returns the same answer as a take', (t) => {
  const { limits, tries } = limitsAt()
  for (let n = 0; n < 50; n++) t.equal(limits.look('192.0.2.1', 'message'), undefined)
  tries(10, '192.0.2.1')
  t.strictSame(limits.look('192.0.2.1', 'message'), { retry_after_s: 4 })
  t.end()
})

t.test('a cost larger than a burst is let in from a full burst, and has to be worked off', (t) => {
  const { clock, limits } = limitsAt()
  t.equal(limits.take('192.0.2.1', 'message', 20), undefined)
  t.strictSame(limits.take('192.0.2.1', 'message'), { retry_after_s: 44 })
  clock.ms += 44_000
  t.equal(limits.take('192.0.2.1', 'message'), undefined)
  t.end()
})

t.test('places are given back', (t) => {
  const { limits } = limitsAt()
  for (let n = 0; n < 20; n++) t.equal(limits.enter('192.0.2.1', 'visitor_socket'), undefined)
  t.match(limits.enter('192.0.2.1', 'visitor_socket'), { retry_after_s: Number })
  t.equal(limits.enter('192.0.2.1', 'console_socket'), undefined)
  limits.leave('192.0.2.1', 'visitor_socket')
  t.equal(limits.enter('192.0.2.1', 'visitor_socket'), undefined)
  t.equal(limits.refused.visitor_socket, 1)
  t.end()
})

t.test('a network of 48 bits has a share of its own', (t) => {
  const { limits, tries } = limitsAt()
  let taken = 0
  for (let n = 0; n < 1_000; n++) taken += tries(1, `2001:db8:7:${n.toString(16)}::/64`)
  t.equal(taken, 160, 'as 16 addresses')
  t.equal(tries(20, '2001:db8:8::/64'), 10, 'a neighbour is another')
  let inside = 0
  for (let n = 0; n < 1_000; n++) if (!limits.enter(`2001:db8:7:${n.toString(16)}::/64`, 'visitor_socket')) inside++
  t.equal(inside, 320)
  t.end()
})

t.test('every spelling of an address counts for its network', (t) => {
  for (const [one, other] of [
    ['2001:db8:0:0', '2001:db8:0:1'],
    ['2001:0:0:0', '2001:0:0:ff'],
    ['2001:0:7:0', '2001:0:7:1'],
    ['0:0:0:1', '0:0:0:2'],
  ]) {
    const { tries } = limitsAt()
    const [here, there] = [one, other].map((groups) => `${ipaddr.parse(`${groups}::`)}/64`)
    // With fifteen more addresses, the network has room for one.
    for (let n = 0; n < 15; n++)
      tries(10, `${ipaddr.parse(`${one!.split(':').slice(0, 3).join(':')}:${n + 1000}::`)}/64`)
    t.equal(tries(10, here!) + tries(10, there!), 10, `${here} and ${there} are of one network`)
  }
  t.end()
})

t.test('a hundred thousand addresses take no more memory than the largest kept number', (t) => {
  const { clock, limits } = limitsAt({ max_addresses: 1_000 })
  for (let n = 0; n < 100_000; n++) {
    limits.take(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 'message')
    if (n % 100 === 0) clock.ms++
  }
  t.equal(limits.tracked, 1_000)
  t.end()
})

t.test('an address is never forgotten in favour of one that has done less', (t) => {
  const { clock, limits, tries } = limitsAt({ max_addresses: 1_000 })
  t.equal(tries(20, '192.0.2.1'), 10)
  for (let n = 0; n < 100_000; n++) {
    limits.take(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 'message')
    if (n % 1_000 === 0) clock.ms++
  }
  t.equal(limits.tracked, 1_000)
  t.equal(tries(20, '192.0.2.1'), 0, 'it still has to wait')
  t.end()
})

t.test('an address that opens connections without end is cut off, and a trusted proxy is not', async (t) => {
  const opened = async (trusted_proxies: string[]) => {
    const { port } = await startTestServer(t, { config: { address_people: 1, trusted_proxies } })
    let answered = 0
    for (let index = 0; index < 60; index++) {
      const response = await fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: 'close' } }).catch(
        () => {},
      )
      if (response?.ok) answered++
      await response?.arrayBuffer()
    }
    return answered
  }
  const answered = await opened([])
  t.ok(answered >= 25 && answered < 60, `${answered} of 60`)
  t.equal(await opened(['127.0.0.0/8']), 60)
})

t.test('a look-up that waits while others of its address fail is not made', async (t) => {
  const made_up: [string, () => Record<string, string>][] = [
    ['/v1/me', () => ({ authorization: `Bearer ${generateTokenSecret().token}` })],
    ['/console/session', () => ({ cookie: `parley_session=${randomBytes(32).toString('base64url')}` })],
  ]
  for (const [path, headers] of made_up) {
    const { call } = await startTestServer(t, { config: { address_people: 10 }, routes: sessionRoutes() })
    const answers = await Promise.all(
      Array.from({ length: 240 }, () => call(path, { token: null, headers: headers() })),
    )
    const looked_up = answers.filter(({ status }) => status === 401).length
    t.ok(looked_up >= 15 && looked_up < 200, `${path}: ${looked_up} look-ups`)
    // On a busy machine the rest may have waited too long.
    const refused = answers.filter(({ status }) => status === 429 || status === 503).length
    t.equal(looked_up + refused, 240)
  }
})

t.test('photos that do not exist count as paths that do not exist', async (t) => {
  const { call } = await startTestServer(t, { config: { address_people: 10 }, routes: widgetRoutes() })
  const statuses: number[] = []
  for (let n = 0; n < 17; n++)
    statuses.push((await call(`/widget/photos/${randomBytes(32).toString('hex')}`, { token: null })).status)
  t.strictSame(statuses, [...Array(15).fill(404), 429, 429])
})
