/**
 * The addresses that outgoing calls may reach, by range, by name and after a redirect. One file, because all tests look
 * for a way around the same guard.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { type Exchange, exchange, OutboundGuard } from '../../../actors/outbound/mod.ts'
import { Networks } from '../../../actors/outbound/networks.ts'
import { systemResolve } from '../../../actors/outbound/resolve.ts'
import { callerOf } from './secure.ts'

const LOOPBACK = ['127.0.0.0/8', '::1/128']

t.test('the guard judges addresses by their network', async (t) => {
  const closed = new Networks()
  const forbidden = [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '168.63.129.16',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.175.48.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.9',
    '224.0.0.1',
    '239.1.1.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::7f00:1',
    '::8.8.8.8',
    '0:0:0:0:0:0:8.8.8.8',
    '0::8.8.8.8',
    '::ffff:0:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '2001::1',
    '2001:0:53aa::1',
    '2001:db8::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '3fff::1',
    '5f00::1',
    '100::1',
    'fc00::1',
    'fd00:ec2::254',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '4000::1',
    '8000::1',
    'not an address',
    '',
  ]
  for (const address of forbidden) t.notOk(closed.permits(address), address)
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])
    t.ok(closed.permits(address), address)
  const open = new Networks(['10.1.0.0/16', 'fd00::/8', '127.0.0.1'])
  for (const address of ['10.1.2.3', '127.0.0.1', 'fd00::1', '::ffff:10.1.0.1']) t.ok(open.permits(address), address)
  for (const address of [
    '10.2.0.1',
    '127.0.0.2',
    'fc00::1',
    '::ffff:10.2.0.1',
    '::10.1.0.1',
    '0::10.1.0.1',
    '64:ff9b::a01:1',
  ])
    t.notOk(open.permits(address), address)
  t.throws(() => new Networks(['10.0.0.0/99']))
  t.throws(() => new Networks(['example.com']))
})

t.test('no IPv4 address gets through by being wrapped in IPv6', async () => {
  const closed = new Networks()
  const hex = fc.integer({ min: 0, max: 0xffff }).map((group) => group.toString(16))
  const prefixes = ['::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2001:0:53aa:64c::']
  fc.assert(
    fc.property(
      hex,
      hex,
      fc.constantFrom(...prefixes),
      (high, low, prefix) => !closed.permits(`${prefix}${high}:${low}`),
    ),
  )
  fc.assert(fc.property(hex, hex, (high, low) => !closed.permits(`2002:${high}:${low}::1`)))
})

t.test('the guard judges URLs before any connection', async (t) => {
  const guard = new OutboundGuard()
  const verdicts: [string, string | true][] = [
    ['https://example.com/hook?x=1', true],
    ['https://example.com:8443/', true],
    ['https://8.8.8.8/', true],
    ['https://[2606:4700::1111]/', true],
    ['https://bücher.example/', true],
    ['http://example.com/', 'url_scheme'],
    ['http://8.8.8.8/', 'url_scheme'],
    ['http://localhost/', 'url_scheme'],
    ['ftp://example.com/', 'url_scheme'],
    ['file:///etc/passwd', 'url_invalid'],
    ['javascript:alert(1)', 'url_invalid'],
    ['example.com', 'url_invalid'],
    ['https://', 'url_invalid'],
    ['', 'url_invalid'],
    ['https://user@example.com/', 'url_credentials'],
    ['https://user:pass@example.com/', 'url_credentials'],
    ['https://:pass@example.com/', 'url_credentials'],
    ['https://127.0.0.1/', 'address_forbidden'],
    ['https://127.0.0.1./', 'address_forbidden'],
    ['https://127.1/', 'address_forbidden'],
    ['https://127.0.1/', 'address_forbidden'],
    ['https://10.7/', 'address_forbidden'],
    ['https://2130706433/', 'address_forbidden'],
    ['https://2852039166/', 'address_forbidden'],
    ['https://0x7f000001/', 'address_forbidden'],
    ['https://0x7f.1/', 'address_forbidden'],
    ['https://0X7F.0x0.0x0.0x1/', 'address_forbidden'],
    ['https://0177.0.0.1/', 'address_forbidden'],
    ['https://017700000001/', 'address_forbidden'],
    ['https://0251.0376.0251.0376/', 'address_forbidden'],
    ['https://0xa9fea9fe/', 'address_forbidden'],
    ['https://192.168.257/', 'address_forbidden'],
    ['https://0/', 'address_forbidden'],
    ['https://0x/', 'address_forbidden'],
    ['https://2130706433./', 'address_forbidden'],
    ['https://%31%32%37.0.0.1/', 'address_forbidden'],
    ['https://1%32%37%2e0%2e0%2e1/', 'address_forbidden'],
    ['https://１２７.0.0.1/', 'address_forbidden'],
    ['https://①②⑦.0.0.1/', 'address_forbidden'],
    ['https://127。0。0。1/', 'address_forbidden'],
    ['https://127．0．0．1/', 'address_forbidden'],
    ['https://1\u00ad27.0.0.1/', 'address_forbidden'],
    ['https:127.0.0.1/', 'address_forbidden'],
    ['https:\\\\127.0.0.1\\', 'address_forbidden'],
    ['\t https://127.0\n.0.1/', 'address_forbidden'],
    ['https://256.1.1.1/', 'url_invalid'],
    ['https://1.2.3.4.5/', 'url_invalid'],
    ['https://127.0.0.1:99999/', 'url_invalid'],
    ['https://example.com@127.0.0.1/', 'url_credentials'],
    ['https://example.com#@127.0.0.1/', true],
    ['https://127.0.0.1#@example.com/', 'address_forbidden'],
    ['https://127.0.0.1\\@example.com/', 'address_forbidden'],
    ['https://169.254.169.254/latest/meta-data', 'address_forbidden'],
    ['https://[::1]/', 'address_forbidden'],
    ['https://[::ffff:127.0.0.1]/', 'address_forbidden'],
    ['https://[::ffff:7f00:1]/', 'address_forbidden'],
    ['https://[0:0:0:0:0:ffff:127.0.0.1]/', 'address_forbidden'],
    ['https://[::ffff:8.8.8.8]/', 'address_forbidden'],
    ['https://[::7f00:1]/', 'address_forbidden'],
    ['https://[::127.0.0.1]/', 'address_forbidden'],
    ['https://[::]/', 'address_forbidden'],
    ['https://[0000:0000:0000:0000:0000:0000:0000:0001]/', 'address_forbidden'],
    ['https://[64:ff9b::7f00:1]/', 'address_forbidden'],
    ['https://[64:ff9b::169.254.169.254]/', 'address_forbidden'],
    ['https://[2002:7f00:1::]/', 'address_forbidden'],
    ['https://[2001:0:4136:e378::1]/', 'address_forbidden'],
    ['https://[fc00::1]/', 'address_forbidden'],
    ['https://[fd00:ec2::254]/', 'address_forbidden'],
    ['https://[fe80::1]/', 'address_forbidden'],
    ['https://[ff02::1]/', 'address_forbidden'],
    ['https://[FD00::1]/', 'address_forbidden'],
    ['https://[fe80::1%eth0]/', 'url_invalid'],
    ['https://[fe80::1%25eth0]/', 'url_invalid'],
    ['https://999.1.1.1/', 'url_invalid'],
    ['https://localhost/', 'address_forbidden'],
    ['https://LOCALHOST./', 'address_forbidden'],
    ['https://a.localhost/', 'address_forbidden'],
    ['https://a.b.LocalHost./', 'address_forbidden'],
    ['https://ｌｏｃａｌｈｏｓｔ/', 'address_forbidden'],
    ['https://localhost%2e/', 'address_forbidden'],
    ['https://notlocalhost/', true],
    ['https://localhost.example.com/', true],
  ]
  for (const [text, expected] of verdicts) {
    const verdict = guard.checkUrl(text)
    t.equal(verdict.ok || verdict.code, expected, text)
  }
  const open = new OutboundGuard({ allow_networks: [...LOOPBACK, '10.0.0.0/8'] })
  for (const text of [
    'http://127.0.0.1:9/',
    'http://localhost:9/',
    'http://[::1]/',
    'https://localhost/',
    'http://10.2.3.4/',
  ])
    t.ok(open.checkUrl(text).ok, text)
  for (const text of ['http://192.168.0.1/', 'http://example.com/', 'http://internal/', 'http://8.8.8.8/'])
    t.notOk(open.checkUrl(text).ok, text)
})

t.test('the guard judges every connection', async (t) => {
  const server = createServer((request, response) => response.end(request.headers.host))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  const call = async (guard: OutboundGuard, url: string): Promise<Exchange> => {
    const dispatcher = guard.createDispatcher()
    try {
      return await exchange(dispatcher, {
        url: url,
        method: 'GET',
        headers: {},
        deadline_ms: 5_000,
        read_limit: 1_000,
      })
    } finally {
      await dispatcher.destroy()
    }
  }
  const answers: Record<string, string[]> = {
    'mixed.example': ['93.184.216.34', '10.0.0.7'],
    'private.example': ['192.168.0.1'],
    'wrapped.example': ['::ffff:93.184.216.34'],
    'scoped.example': ['fe80::1%eth0'],
    'nonsense.example': ['nonsense'],
    'empty.example': [],
    'loop.example': ['127.0.0.1'],
  }
  const asked: string[] = []
  const resolve = async (hostname: string) => {
    asked.push(hostname)
    const found = answers[hostname]
    if (!found) throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND', syscall: 'queryA' })
    return found
  }
  const closed = new OutboundGuard({ resolve })
  for (const host of ['mixed', 'private', 'wrapped', 'scoped', 'nonsense', 'loop'])
    t.match(await call(closed, `https://${host}.example/`), { error: 'address_forbidden', was_sent: false }, host)
  t.match(await call(closed, 'https://unknown.example/'), { error: 'name_not_resolved', was_sent: false })
  t.match(await call(closed, 'https://empty.example/'), { error: 'name_not_resolved', was_sent: false })

  // A caller that skips checkUrl does not get around the guard.
  for (const url of [
    `http://127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `https://[::1]:${port}/`,
  ])
    t.match(await call(closed, url), { error: 'address_forbidden', was_sent: false }, url)

  const open = new OutboundGuard({ resolve, allow_networks: LOOPBACK })
  t.match(await call(open, `http://127.0.0.1:${port}/`), { status: 200, error: null })
  t.match(await call(open, `http://localhost:${port}/`), { status: 200, error: null })
  t.match(
    await call(open, `http://loop.example:${port}/`),
    { error: 'address_forbidden', was_sent: false },
    'http to a name',
  )

  asked.length = 0
  t.match(await call(open, `https://loop.example:${port}/`), { error: 'tls_failed', was_sent: false })
  t.strictSame(asked, ['loop.example'], 'a name is resolved once')
})

t.test('a name that turns private leads neither to the old address nor to the new one', async (t) => {
  let answer = ['127.0.0.1']
  const guard = new OutboundGuard({ resolve: async () => answer, allow_networks: ['127.0.0.1'] })
  t.strictSame(await guard.addressesOf('rebind.example'), ['127.0.0.1'])
  answer = ['127.0.0.1', '10.0.0.1']
  await t.rejects(guard.addressesOf('rebind.example'), { code: 'address_forbidden' })
})

t.test('a connection goes to the address that the check of the URL found', async (t) => {
  // The pool parses the origin once more. Every notation of this table has to keep its meaning.
  const { call } = callerOf(t, {})
  const urls = ['https://2130706433/', 'https://0x7f.1/', 'https://127。0。0。1/', 'https://[::ffff:7f00:1]/']
  for (const url of urls) t.match(await call(url), { error: 'address_forbidden', was_sent: false }, url)
})

t.test('the system resolver reads the hosts file', async (t) => {
  t.ok((await systemResolve()('LOCALHOST')).some((address) => address === '127.0.0.1' || address === '::1'))
})
