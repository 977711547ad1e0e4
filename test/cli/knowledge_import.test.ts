/** `parley knowledge import`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { pdfFile } from '../actors/knowledge/pdf_file.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { nodeOf } from '../e2e/import_client.ts'
import { startSite } from '../e2e/site.ts'
import { type Owner, tempDir } from '../support/mod.ts'
import { run, startHere } from './command.ts'

const world = await joinWorld(t)
const directory = tempDir(t)
const docs = join(directory, 'docs')

const put = (path: string, content: string | Buffer) => {
  const whole = join(docs, path)
  mkdirSync(join(whole, '..'), { recursive: true })
  writeFileSync(whole, content)
}
const environment = (token: string) => ({ PARLEY_BASE_URL: world.base_url, PARLEY_TOKEN: token })

/** Names of a tree, those below a folder in brackets. */
function names(nodes: Json[]): string {
  return nodes.map(({ name, children }) => (children ? `${name}[${names(children)}]` : name)).join(' ')
}

t.test('a directory is mirrored, and only what has changed is imported again', async (t) => {
  const tenant = await makeTenant(world)
  const env = environment(tenant.token)
  put('returns.md', '# Returns\n\nWithin 30 days.')
  put('shop/shipping.html', '<html><head><title>Shipping</title></head><body><p>Free for all orders.</p></body></html>')
  put('shop/prices/list.pdf', pdfFile([[{ text: 'One euro', y: 700 }]], { title: 'Prices' }))
  put('shop/logo.png', Buffer.from('89504e470d0a1a0a', 'hex'))
  put('.hidden/secret.md', '# Secret')
  put('node_modules/x/readme.md', '# A package')
  const first = await run(['knowledge', 'import', docs, '--json'], env)
  t.equal(first.code, 0, first.err)
  const report = JSON.parse(first.out)
  t.equal(report.imported.length, 3)
  t.match(report, { failed: [], unchanged: 0, ignored: 1 })
  const { data } = await made(tenant.api('GET', 'knowledge/tree'))
  t.equal(names(data), 'docs[Returns shop[prices[Prices] Shipping]]')
  const again = await run(['knowledge', 'import', docs], env)
  t.match(again, { code: 0, out: '0 imported, 3 unchanged, 1 of other types left out.\n' }, again.err)
  put('returns.md', '# Returns\n\nWithin 60 days.')
  put('more.txt', 'More')
  const changed = await run(['knowledge', 'import', docs], env)
  t.match(changed, { code: 0, out: '2 imported, 2 unchanged, 1 of other types left out.\n' }, changed.err)
  const { node_id } = report.imported.find(({ source }: Json) => source.endsWith('returns.md'))
  t.match(await nodeOf(tenant, node_id), { content: '# Returns\n\nWithin 60 days.' })
})

t.test('a file and an address are imported into the folder that is named', async (t) => {
  const tenant = await makeTenant(world)
  const env = environment(tenant.token)
  const site = await startSite(t)
  site.set('/page', '# A page')
  const folder = (await made(tenant.api('POST', 'knowledge/nodes', { type: 'folder', name: 'Inside' })))._id
  put('one.md', '# One')
  const sources = [join(docs, 'one.md'), site.url('/page')]
  const { code, out, err } = await run(['knowledge', 'import', ...sources, '--in', folder, '--language', 'en'], env)
  t.match({ code, out }, { code: 0, out: '2 imported.\n' }, err)
  t.equal(names((await made(tenant.api('GET', 'knowledge/tree'))).data), 'Inside[A page One]')
})

t.test('failures name the file and the reason', async (t) => {
  const tenant = await makeTenant(world)
  const env = environment(tenant.token)
  const bad = join(directory, 'bad')
  mkdirSync(bad)
  writeFileSync(join(bad, 'locked.pdf'), pdfFile([[{ text: 'x', y: 9 }]], { password: 'word' }))
  writeFileSync(join(bad, 'empty.md'), '')
  writeFileSync(join(bad, 'good.md'), '# Good')
  const { code, out, err } = await run(['knowledge', 'import', bad], env)
  t.equal(code, 1)
  t.match(out, /^1 imported, 2 failed\.\n$/)
  t.match(err, /locked\.pdf: The PDF is protected by a password/)
  t.match(err, /empty\.md: .*must not be empty/)
  t.match(err, /2 documents were not imported\./)
  const wrong: [args: string[], says: RegExp, code: number][] = [
    [[join(directory, 'missing')], /There is no file or directory/, 1],
    [['https://10.0.0.1/'], /source_url must be an https:\/\/ address/, 1],
    [['https://example.com/', '--watch'], /--watch needs a file or a directory/, 2],
    [[bad, '--in', 'f'.repeat(24)], /The project has no folder f{24}; `parley knowledge tree`/, 1],
  ]
  for (const [args, says, code] of wrong) {
    const ended = await run(['knowledge', 'import', ...args], env)
    t.equal(ended.code, code, args.join(' '))
    t.match(ended.err, says)
  }
})

t.test('--watch imports files as they change, until a signal', async (t) => {
  const tenant = await makeTenant(world)
  const watched = join(directory, 'watched')
  mkdirSync(watched)
  writeFileSync(join(watched, 'a.md'), '# First')
  const command = startHere(t, ['knowledge', 'import', watched, '--watch'], { env: environment(tenant.token) })
  await command.until(/1 imported/)
  await command.until(/Watching for changes/, 'err')
  const texts = async () => {
    const { data } = await made(tenant.api('GET', 'knowledge/tree'))
    return names(data)
  }
  t.equal(await texts(), 'watched[First]')
  // The watcher begins right after the remark, so the file is changed until it is seen.
  let round = 0
  await eventually('the change is imported', async () => {
    writeFileSync(join(watched, 'a.md'), `# Second${'!'.repeat(round++ % 3)}`)
    return /watched\[Second!*\]/.test(await texts())
  })
  mkdirSync(join(watched, 'new'))
  writeFileSync(join(watched, 'new', 'b.md'), '# New')
  await eventually('the new file is imported', async () => (await texts()).includes('new[New]'))
  rmSync(join(watched, 'new'), { recursive: true })
  const { code, err } = await command.end('SIGINT')
  t.equal(code, 0, err)
})

t.test('--watch makes a folder again that was deleted meanwhile, with all its files', async (t) => {
  const tenant = await makeTenant(world)
  const watched = join(directory, 'deleted')
  mkdirSync(watched)
  writeFileSync(join(watched, 'a.md'), '# First')
  writeFileSync(join(watched, 'b.md'), '# Other')
  const command = startHere(t, ['knowledge', 'import', watched, '--watch'], { env: environment(tenant.token) })
  await command.until(/2 imported/)
  await command.until(/Watching for changes/, 'err')
  const tree = async () => (await made(tenant.api('GET', 'knowledge/tree'))).data
  const [folder] = await tree()
  await made(tenant.api('DELETE', `knowledge/nodes/${folder._id}`))
  let round = 0
  await eventually('the files are imported again', async () => {
    writeFileSync(join(watched, 'a.md'), `# Second${'!'.repeat(round++ % 3)}`)
    return /^deleted\[Other Second!*\]$/.test(names(await tree()))
  })
  const { code, err } = await command.end('SIGINT')
  t.equal(code, 0, err)
})

t.test('--watch goes on when answers were lost, and makes each folder once', async (t) => {
  const tenant = await makeTenant(world)
  const watched = join(directory, 'lossy')
  mkdirSync(watched)
  writeFileSync(join(watched, 'a.md'), '# First')
  const lossy = await startLossy(t)
  const env = { ...environment(tenant.token), PARLEY_BASE_URL: lossy.base_url }
  lossy.lose('POST /v1/knowledge/nodes', 'unknown')
  const command = startHere(t, ['knowledge', 'import', watched, '--watch'], { env })
  await command.until(/1 imported/)
  await command.until(/Watching for changes/, 'err')
  const tree = async () => names((await made(tenant.api('GET', 'knowledge/tree'))).data)
  t.equal(await tree(), 'lossy[First]')
  for (const [name, lost] of [
    ['tree', 'GET /v1/knowledge/tree'],
    ['folder', 'POST /v1/knowledge/nodes'],
    ['imports', 'GET /v1/knowledge/imports'],
    ['upload', 'POST /v1/knowledge/nodes/import'],
  ] as const) {
    lossy.lose(lost, 'cut')
    mkdirSync(join(watched, name))
    writeFileSync(join(watched, name, 'file.md'), `# New ${name}`)
    let round = 0
    await eventually(`the file is imported though ${lost} was lost`, async () => {
      writeFileSync(join(watched, 'a.md'), `# Changed${'!'.repeat(round++ % 3)}`)
      return (await tree()).includes(`${name}[New ${name}]`)
    })
    t.equal(lossy.lost(), true, lost)
  }
  t.match(
    await tree(),
    /^lossy\[Changed!* folder\[New folder\] imports\[New imports\] tree\[New tree\] upload\[New upload\]\]$/,
  )
  const { code, err } = await command.end('SIGINT')
  t.equal(code, 0, err)
})

type Loss = 'unknown' | 'cut'
const OF_CONNECTION = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']

/** A way to the server on which answers can be lost after the request was served. */
async function startLossy(t: Owner) {
  let next: { what: string; how: Loss } | undefined
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = new Headers(request.headers as Record<string, string>)
    for (const name of OF_CONNECTION) headers.delete(name)
    const answer = await fetch(`${world.base_url}${request.url}`, {
      method: request.method!,
      headers,
      body: chunks.length > 0 ? Buffer.concat(chunks) : null,
    })
    const body = Buffer.from(await answer.arrayBuffer())
    if (next?.what === `${request.method} ${request.url!.split('?', 1)[0]}`) {
      const { how } = next
      next = undefined
      if (how === 'cut') request.socket.destroy()
      else
        response
          .writeHead(503, { 'retry-after': '1' })
          .end('{"error":{"code":"SERVICE_UNAVAILABLE","message":"Again."}}')
      return
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The answer to the next request of this kind is lost: it never comes, or tells that nothing is known. */
    lose(what: string, how: Loss) {
      next = { what, how }
    },
    lost: () => next === undefined,
  }
}
