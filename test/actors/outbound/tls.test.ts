import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { type Issued, issue } from '../../support/certificates.ts'
import { tempDir } from '../../support/mod.ts'
import { authority, callerOf, secure } from './secure.ts'

const HOSTS = ['right.example']
const loopback = { allow_networks: ['127.0.0.1'], resolve: async () => ['127.0.0.1'] }
const stranger = issue({ name: 'Authority of nobody', is_authority: true })

const withChain = ({ key, cert }: Issued, by: Issued) => ({ key, cert: cert + by.cert })

t.test('a server that does not prove to be the receiver gets no request', async (t) => {
  const cases: { name: string; server: Parameters<typeof secure>[1]; detail: string; url?: string }[] = [
    {
      name: 'another name',
      server: issue({ name: 'test', hosts: ['wrong.example'], by: authority }),
      detail: 'cert_altname_invalid',
    },
    {
      name: 'a name for an address',
      server: issue({ name: 'test', hosts: HOSTS, by: authority }),
      url: 'https://127.0.0.1',
      detail: 'cert_altname_invalid',
    },
    {
      name: 'expired',
      server: issue({ name: 'test', hosts: HOSTS, by: authority, not_after: new Date(Date.now() - 1_000) }),
      detail: 'cert_has_expired',
    },
    { name: 'self-signed', server: issue({ name: 'test', hosts: HOSTS }), detail: 'depth_zero_self_signed_cert' },
    {
      name: 'an authority that nobody knows',
      server: issue({ name: 'test', hosts: HOSTS, by: stranger }),
      detail: 'unable_to_verify_leaf_signature',
    },
    {
      name: 'an authority that nobody knows, shown along',
      server: withChain(issue({ name: 'test', hosts: HOSTS, by: stranger }), stranger),
      detail: 'self_signed_cert_in_chain',
    },
    {
      name: 'signed by one who may not',
      server: issue({ name: 'test', hosts: HOSTS, by: issue({ name: 'leaf', hosts: HOSTS, by: authority }) }),
      detail: 'unable_to_verify_leaf_signature',
    },
    {
      name: 'TLS 1.0',
      server: {
        ...issue({ name: 'test', hosts: HOSTS, by: authority }),
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1',
        ciphers: 'DEFAULT@SECLEVEL=0',
      },
      detail: 'tlsv1_alert_protocol_version',
    },
    {
      name: 'TLS 1.1',
      server: {
        ...issue({ name: 'test', hosts: HOSTS, by: authority }),
        minVersion: 'TLSv1.1',
        maxVersion: 'TLSv1.1',
        ciphers: 'DEFAULT@SECLEVEL=0',
      },
      detail: 'tlsv1_alert_protocol_version',
    },
  ]
  const { call } = callerOf(t, loopback)
  for (const { name, server, detail, url = 'https://right.example' } of cases) {
    const { port, requests } = await secure(t, server)
    // The test tries twice: a session from the failed handshake must not replace the proof.
    for (const time of ['once', 'again']) {
      const expected = { status: null, error: 'tls_failed', was_sent: false }
      const { error_detail, ...result } = await call(`${url}:${port}/`)
      t.match(result, expected, `${name}, ${time}`)
      t.match(error_detail ?? '', detail, `${name}, ${time}`)
    }
    t.equal(requests.length, 0, name)
  }
})

t.test('a server without TLS is an error', async (t) => {
  const server = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end('220 smtp.example\r\n'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const { call } = callerOf(t, loopback)
  t.match(await call(`https://right.example:${port}/`), { error: 'tls_failed', was_sent: false })
})

t.test('a handshake that never ends costs the deadline', async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const { call } = callerOf(t, { ...loopback, connect_timeout_ms: 300 })
  t.teardown(() => server.close())
  t.match(await call(`https://right.example:${port}/`), { status: null, error: 'timeout', was_sent: false })
})

t.test('certificates of the installation stand beside those of the system', async (t) => {
  const { port, requests } = await secure(t, issue({ name: 'test', hosts: [...HOSTS, '127.0.0.1'], by: authority }))
  const { call } = callerOf(t, loopback)
  t.match(await call(`https://right.example:${port}/`), { status: 200, error: null })
  t.match(await call(`https://127.0.0.1:${port}/`), { status: 200, error: null })
  t.equal(requests.length, 2)
  const without = callerOf(t, { ...loopback, certificates: [] })
  t.match(await without.call(`https://right.example:${port}/`), { error: 'tls_failed' })

  // NODE_EXTRA_CA_CERTS also names roots of the system. They are still trusted when the installation has its own.
  const script = `
    const { OutboundGuard, exchange } = await import('${new URL('../../../actors/outbound/mod.ts', import.meta.url)}')
    const options = JSON.parse(process.env.GUARD)
    const dispatcher = new OutboundGuard({ ...options, resolve: async () => ['127.0.0.1'] }).createDispatcher()
    const call = { method: 'GET', headers: {}, deadline_ms: 5000, read_limit: 10, url: process.env.URL_TO_CALL }
    const { status, error, error_detail } = await exchange(dispatcher, call)
    process.stdout.write(JSON.stringify([status, error, error_detail]))
    await dispatcher.destroy()`
  const callElsewhere = (certificates: string[], env: Record<string, string>) =>
    new Promise<unknown>((resolve) => {
      const guard = JSON.stringify({ allow_networks: ['127.0.0.1'], certificates })
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        env: { ...process.env, GUARD: guard, URL_TO_CALL: `https://right.example:${port}/`, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      child.stdout.on('data', (chunk) => resolve(JSON.parse(chunk.toString())))
    })
  const roots = join(tempDir(t), 'roots.pem')
  writeFileSync(roots, authority.cert)
  t.strictSame(await callElsewhere([stranger.cert], { NODE_EXTRA_CA_CERTS: roots }), [200, null, null])
  t.match(
    await callElsewhere([stranger.cert], { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' }),
    [null, 'tls_failed'],
    'verification cannot be switched off from outside',
  )
})
