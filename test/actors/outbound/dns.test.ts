import t from 'tap'
import { systemResolve } from '../../../actors/outbound/resolve.ts'
import { issue } from '../../support/certificates.ts'
import { type DnsAnswer, type DnsRecord, type DnsServer, dnsServer } from '../../support/dns.ts'
import type { Owner } from '../../support/mod.ts'
import { authority, callerOf, secure } from './secure.ts'

const resolverOf = (dns: DnsServer) => systemResolve({ servers: [dns.address], timeout_ms: 1_000 })

const PUBLIC = '93.184.216.34'
const a = (data: string): DnsRecord => ({ type: 'A', data })
const aaaa = (data: string): DnsRecord => ({ type: 'AAAA', data })
const only4 =
  (...records: DnsRecord[]) =>
  (type: string): DnsAnswer =>
    type === 'A' ? records : []
const only6 =
  (...records: DnsRecord[]) =>
  (type: string): DnsAnswer =>
    type === 'AAAA' ? records : []

const many = (data: (index: number) => string) => Array.from({ length: 1_500 }, (_, index) => a(data(index)))

/** Names with their answers, and the error of a delivery to each. No name may lead to a connection. */
const names: Record<string, { answer: (type: 'A' | 'AAAA') => DnsAnswer; error: string }> = {
  'loopback.example': { answer: only4(a('127.0.0.1')), error: 'address_forbidden' },
  'private.example': { answer: only4(a('10.0.0.7')), error: 'address_forbidden' },
  'metadata.example': { answer: only4(a('169.254.169.254')), error: 'address_forbidden' },
  'metadata6.example': { answer: only6(aaaa('fd00:ec2::254')), error: 'address_forbidden' },
  'wire-server.example': { answer: only4(a('168.63.129.16')), error: 'address_forbidden' },
  'this-host.example': { answer: only4(a('0.0.0.0')), error: 'address_forbidden' },
  'unspecified.example': { answer: only6(aaaa('::')), error: 'address_forbidden' },
  'mapped.example': { answer: only6(aaaa('::ffff:8.8.8.8')), error: 'address_forbidden' },
  'compatible.example': { answer: only6(aaaa('::a00:7')), error: 'address_forbidden' },
  'nat64.example': { answer: only6(aaaa('64:ff9b::a00:7')), error: 'address_forbidden' },
  '6to4.example': { answer: only6(aaaa('2002:a00:7::1')), error: 'address_forbidden' },
  'teredo.example': { answer: only6(aaaa('2001:0:4136:e378::1')), error: 'address_forbidden' },
  'public-then-private.example': { answer: only4(a(PUBLIC), a('192.168.0.1')), error: 'address_forbidden' },
  'private-then-public.example': { answer: only4(a('192.168.0.1'), a(PUBLIC)), error: 'address_forbidden' },
  'public-4-private-6.example': {
    answer: (type) => (type === 'A' ? [a(PUBLIC)] : [aaaa('fd12::1')]),
    error: 'address_forbidden',
  },
  'last-of-many.example': {
    answer: () => ({ truncated: many((index) => (index === 1_499 ? '10.0.0.7' : PUBLIC)) }),
    error: 'address_forbidden',
  },
  'alias.example': {
    answer: only4(
      { type: 'CNAME', data: 'alias.public.example' },
      { name: 'alias.public.example', type: 'CNAME', data: 'db.internal' },
      { name: 'db.internal', ...a('10.0.0.7') },
    ),
    error: 'address_forbidden',
  },
  'alias-to-localhost.example': {
    answer: only4({ type: 'CNAME', data: 'localhost' }, { name: 'localhost', ...a('127.0.0.1') }),
    error: 'address_forbidden',
  },
  'alias-to-itself.example': {
    answer: () => [{ type: 'CNAME', data: 'alias-to-itself.example' }],
    error: 'name_not_resolved',
  },
  'dead-end.example': { answer: () => [{ type: 'CNAME', data: 'gone.example' }], error: 'name_not_resolved' },
  'empty.example': { answer: () => [], error: 'name_not_resolved' },
  'unknown.example': { answer: () => ({ rcode: 3 }), error: 'name_not_resolved' },
  'broken.example': { answer: () => ({ rcode: 2 }), error: 'name_not_resolved' },
  'refused.example': { answer: () => ({ rcode: 5 }), error: 'name_not_resolved' },
  'cut-off.example': { answer: () => ({ truncated: [] }), error: 'name_not_resolved' },
  'garbage.example': { answer: () => ({ raw: Buffer.alloc(200, 0xff) }), error: 'name_not_resolved' },
  'silent.example': { answer: () => 'silence', error: 'name_not_resolved' },
  metadata: { answer: only4(a('169.254.169.254')), error: 'address_forbidden' },
  [`${'a'.repeat(64)}.example`]: { answer: () => [a(PUBLIC)], error: 'name_not_resolved' },
  [`${'a.'.repeat(150)}example`]: { answer: () => [a(PUBLIC)], error: 'name_not_resolved' },
}

t.test('no answer of a name server leads inwards', async (t) => {
  const dns = await dnsServer(t, (name, type) => names[name]?.answer(type) ?? { rcode: 3 })
  const { call } = callerOf(t, { resolve: resolverOf(dns) })
  const outcomes = Object.entries(names).map(async ([name, { error }]) => {
    t.match(await call(`https://${name}/`), { status: null, error, was_sent: false }, name)
  })
  await Promise.all(outcomes)
})

t.test('an answer that does not come in time costs the deadline and sends nothing', async (t) => {
  const dns = await dnsServer(t, () => 'silence')
  const { call } = callerOf(t, { resolve: resolverOf(dns) })
  t.match(await call('https://slow.example/', { deadline_ms: 100 }), { error: 'timeout', was_sent: false })
})

t.test('an address family without an answer does not delay the other', async (t) => {
  const dns = await dnsServer(t, (_, type) => (type === 'A' ? [a('8.8.8.8')] : 'silence'))
  const { guard } = callerOf(t, { resolve: systemResolve({ servers: [dns.address], timeout_ms: 60_000 }) })
  t.strictSame(await guard.addressesOf('half.example'), ['8.8.8.8'])
})

t.test('only a handful of addresses of a huge answer is used', async (t) => {
  const dns = await dnsServer(t, (_, type) =>
    type === 'A' ? { truncated: many((n) => `8.8.${n >> 8}.${n & 255}`) } : [],
  )
  const { guard } = callerOf(t, { resolve: resolverOf(dns) })
  t.equal((await guard.addressesOf('huge.example')).length, 8)
})

/** Serves one port of two addresses. Another process may have the port of the first on the second, so it tries some. */
async function onOnePort(t: Owner, certificate: Parameters<typeof secure>[1]) {
  for (let tries = 1; ; tries++) {
    const inside = await secure(t, certificate, '127.0.0.2')
    try {
      return { inside, outside: await secure(t, certificate, '127.0.0.1', inside.port) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === 20) throw error
    }
  }
}

t.test('a name may change its address between check and connection', async (t) => {
  // The test may reach 127.0.0.1, and 127.0.0.2 stands for the network behind the guard.
  const certificate = issue({ name: 'test', hosts: ['rebind.example', 'late.example'], by: authority })
  const { inside, outside } = await onOnePort(t, certificate)
  const { port } = outside
  const dns = await dnsServer(t, (name, type, count) => {
    if (type === 'AAAA') return []
    if (name === 'rebind.example') return [a(count % 2 === 0 ? '127.0.0.1' : '127.0.0.2')]
    return [a(count === 0 ? '127.0.0.1' : '127.0.0.2')]
  })
  const options = { resolve: resolverOf(dns), allow_networks: ['127.0.0.1'] }
  const asked = (name: string) => dns.asked.filter((question) => question === `A ${name}`).length

  await t.test('the connection goes to the checked address', async (t) => {
    for (let round = 0; round < 6; round++) {
      // Each call has a pool of its own, so each makes a connection.
      const { call } = callerOf(t, options)
      const expected = round % 2 === 0 ? { status: 200, error: null } : { status: null, error: 'address_forbidden' }
      t.match(await call(`https://rebind.example:${port}/`), expected, `round ${round}`)
      t.equal(asked('rebind.example'), round + 1, 'asked once for a connection')
    }
    t.equal(outside.connections, 3)
  })

  await t.test('a name that is public at the check and private at the connection is refused', async (t) => {
    const { guard, call } = callerOf(t, options)
    t.ok(guard.checkUrl(`https://late.example:${port}/`).ok)
    t.strictSame(await guard.addressesOf('late.example'), ['127.0.0.1'])
    t.match(await call(`https://late.example:${port}/`), { error: 'address_forbidden', was_sent: false })
  })

  t.equal(inside.connections, 0, 'nobody got in')
})

t.test('a kept connection serves its own origin and no other', async (t) => {
  const hosts = ['one.example', 'two.example', '127.0.0.1']
  const server = await secure(t, issue({ name: 'test', hosts, by: authority }))
  const dns = await dnsServer(t, (_, type) => (type === 'A' ? [a('127.0.0.1')] : []))
  const { call } = callerOf(t, { resolve: resolverOf(dns), allow_networks: ['127.0.0.1'] })
  const origins = hosts.map((host) => `${host}:${server.port}`)
  for (const origin of [...origins, ...origins]) t.match(await call(`https://${origin}/`), { status: 200 }, origin)
  t.equal(server.connections, 3)
  t.strictSame(server.requests, [...origins, ...origins])
})

t.test('a connection ends after a thousand requests, so that the name is asked again', async (t) => {
  const server = await secure(t, issue({ name: 'test', hosts: ['busy.example'], by: authority }))
  const dns = await dnsServer(t, (_, type) => (type === 'A' ? [a('127.0.0.1')] : []))
  const { call } = callerOf(t, { resolve: resolverOf(dns), allow_networks: ['127.0.0.1'] })
  for (let request = 0; request < 1_001; request++) await call(`https://busy.example:${server.port}/`)
  t.equal(server.requests.length, 1_001)
  t.equal(server.connections, 2)
  t.strictSame(dns.asked.toSorted(), ['A busy.example', 'A busy.example', 'AAAA busy.example', 'AAAA busy.example'])
})
