/** Files of people on Messenger and Instagram: which addresses are asked, and over which connections. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { OutboundGuard } from '../../../actors/outbound/mod.ts'
import { Instagram } from '../../../actors/providers/instagram/mod.ts'
import { Messenger } from '../../../actors/providers/messenger/mod.ts'
import { pageSide } from './page_accounts.ts'

const limits = { max_bytes: 1000, deadline_ms: 60_000, signal: new AbortController().signal }

/** A server of the operator's network. */
async function serve(t: Test, locations: Record<string, string> = {}): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = []
  const server: Server = createServer(({ url = '', headers }, response) => {
    asked.push(url)
    const location = locations[url]
    if (location) response.writeHead(302, { location }).end()
    else response.end(`a file, ${headers.authorization ?? 'without a token'}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

for (const Adapter of [Messenger, Instagram]) {
  t.test(`${Adapter.name}: the configured address alone is asked past the outbound guard`, async (t) => {
    const inner = await serve(t)
    const locations = { '/moved': '/file', '/inside': `${inner.origin}/secret` }
    const configured = await serve(t, locations)
    const adapter = new Adapter({ guard: new OutboundGuard() })
    t.teardown(() => adapter.close())
    const { credentials } = pageSide('messenger', adapter)
    const reading = async (url: unknown) => {
      const got = await adapter.fetchFile(
        { ...credentials, api_base_url: `${configured.origin}/v25.0` },
        { url },
        limits,
      )
      return 'stream' in got ? (await buffer(got.stream)).toString() : got.failure
    }
    t.equal(await reading(`${configured.origin}/file`), 'a file, without a token')
    t.equal(await reading(`${configured.origin}/moved`), 'a file, without a token')
    t.match(await reading(`${configured.origin}/inside`), { kind: 'refuse', code: 'address_forbidden' })
    t.match(await reading(`${inner.origin}/secret`), { kind: 'refuse', code: 'address_forbidden' })
    t.match(await reading(undefined), { kind: 'refuse', code: 'no_reference' })
    t.same(inner.asked, [], 'its own network is not asked')
  })
}
