import t from 'tap'
import { type Call, startTestServer } from './test_server.ts'

t.test('every answer over TLS, and none without it, says that the host is reached over TLS alone', async (t) => {
  const config = { production: true, strict_transport: true, trusted_proxies: ['127.0.0.0/8'] }
  const { call, send, tenant } = await startTestServer(t, { config })
  const asked: [number, string, Call?][] = [
    [200, '/v1/me'],
    [200, '/v1/me', { method: 'HEAD' }],
    [200, '/health', { token: null }],
    [200, '/ready', { token: null }],
    [200, '/providers/whatsapp/66f2a0c1d4e5f60718293a4b', { token: null }],
    [400, '/v1/messages', { method: 'POST', json: {} }],
    [401, '/v1/me', { token: null }],
    [401, '/v1/me', { token: 'wrong' }],
    [404, '/v1/nothing'],
    [405, '/v1/me', { method: 'PUT' }],
    [204, '/v1/me', { method: 'OPTIONS' }],
  ]
  for (const [status, path, options] of asked) {
    const { headers, ...answer } = await call(path, { ...options, headers: { 'x-forwarded-proto': 'https' } })
    t.equal(answer.status, status, path)
    t.equal(headers['strict-transport-security'], 'max-age=31536000', `${status} ${path}`)
  }
  const malformed = await send('GET /v1/me HTTP/1.1\r\nHost: x\r\nHost: y\r\nX-Forwarded-Proto: https\r\n\r\n')
  t.match(malformed, /^HTTP\/1\.1 400 [\s\S]*\r\nStrict-Transport-Security: max-age=31536000\r\n/)
  for (const path of ['/v1/me', '/health', '/v1/nothing']) {
    t.equal((await call(path)).headers['strict-transport-security'], undefined, path)
  }
  const lenient = await startTestServer(t, { config: { ...config, strict_transport: false } })
  const headers = { 'x-forwarded-proto': 'https', authorization: `Bearer ${tenant.secret}` }
  t.equal((await lenient.call('/v1/me', { headers })).headers['strict-transport-security'], undefined)
})
