/** The certificate of a server is compared with the name in the URL, whatever address the name led to. */
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openDatabase, sql } from '../../storage/mod.ts'
import { issue } from '../support/certificates.ts'
import { freePort, plainQuery, privatePostgres, tempDir } from '../support/mod.ts'

t.test('a name is compared with the certificate', async (t) => {
  const { url } = await privatePostgres(t)
  const [place] = await plainQuery(url, 'show data_directory')
  const data = String(place!.data_directory)
  const { uid, gid } = statSync(data)
  const authority = issue({ name: 'Authority', is_authority: true })
  const authority_file = join(tempDir(t), 'authority.pem')
  writeFileSync(authority_file, authority.cert)
  const certify = async (host: string) => {
    const { cert, key } = issue({ name: host, hosts: [host], by: authority })
    for (const [file, content] of [
      ['server.crt', cert],
      ['server.key', key],
    ] as const) {
      const path = join(data, file)
      writeFileSync(path, content)
      chmodSync(path, 0o600)
      chownSync(path, uid, gid)
    }
    await plainQuery(url, 'alter system set ssl = on')
    await plainQuery(url, 'select pg_reload_conf()')
  }
  const open = async (change: (url: URL) => void) => {
    const secure = new URL(url)
    secure.hostname = 'localhost'
    secure.searchParams.set('sslmode', 'verify-full')
    secure.searchParams.set('sslrootcert', authority_file)
    change(secure)
    const database = await openDatabase({ url: secure.href })
    const query = sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
    return Promise.all([database.execute(query), database.ask(query, 30_000)]).finally(() => database.close())
  }
  await certify('localhost')
  const secured = [[{ ssl: true }], [{ ssl: true }]]
  // The reload of the server takes a moment.
  for (;;) {
    const found = await open(() => {}).catch((error: Error) => error)
    if (found instanceof Error && /does not support SSL/.test(found.message)) continue
    t.same(found, secured)
    break
  }
  const closed = await freePort()
  t.same(
    await open((url) => {
      url.searchParams.set('host', '127.0.0.1,localhost')
      url.searchParams.set('port', `${closed},${url.port}`)
    }),
    secured,
    'each server has a name of its own',
  )
  await certify('another.example')
  for (;;) {
    const found = await open(() => {}).catch((error: Error) => error)
    if (!(found instanceof Error)) continue
    t.match(found, { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: /Host: localhost\./ })
    break
  }

  const by_address = (mode: string) => (url: URL) => {
    url.hostname = '127.0.0.1'
    url.searchParams.set('sslmode', mode)
  }
  t.match(await open(by_address('verify-full')).catch((error: Error) => error), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    message: /IP: 127\.0\.0\.1 /,
  })
  await certify('127.0.0.1')
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  for (;;) {
    const found = await open(by_address('require')).catch((error: Error) => error)
    if (found instanceof Error) continue
    t.same(found, secured, 'an address is compared with the addresses of the certificate')
    break
  }
  t.same(await open(by_address('verify-full')), secured)
  t.strictSame(warnings, [])
})
