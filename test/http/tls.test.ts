import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { Agent, request } from 'undici'
import { tempDir } from '../support/mod.ts'
import { startTestServer } from './test_server.ts'

/** The program of the system, not of npm. */
const OPENSSL = 'openssl'

t.test('a server with a certificate speaks TLS itself, which is enough in production', async (t) => {
  const directory = tempDir(t)
  const key_file = join(directory, 'key.pem')
  const cert_file = join(directory, 'cert.pem')
  const subject = [
    '-subj',
    '/CN=localhost',
    '-days',
    '1',
    '-nodes',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
  ]
  try {
    execFileSync(OPENSSL, ['req', '-x509', ...subject, '-keyout', key_file, '-out', cert_file], { stdio: 'ignore' })
  } catch {
    t.pass('openssl is not installed: nothing to test with')
    return
  }
  const { port, tenant } = await startTestServer(t, { config: { production: true, tls: { key_file, cert_file } } })
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  t.teardown(() => dispatcher.destroy())
  const headers = { authorization: `Bearer ${tenant.secret}` }
  const answer = await request(`https://127.0.0.1:${port}/v1/me`, { headers, dispatcher })
  t.equal(answer.statusCode, 200)
  await answer.body.dump()
})
