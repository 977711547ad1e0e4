/**
 * Documents that are imported by upload and from addresses. One file, because each rule holds for both ways.
 */
import t from 'tap'
import { pdfFile } from '../actors/knowledge/pdf_file.ts'
import { sha256 } from '../http/media_client.ts'
import { plainQuery } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'
import { ended, importFile, importOf, importUrl, nodeOf } from './import_client.ts'
import { startSite } from './site.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const site = await startSite(t)

const nobody = 'f'.repeat(24)
const folder = async (name: string, by = tenant): Promise<string> =>
  (await made(by.api('POST', 'knowledge/nodes', { type: 'folder', name })))._id

const line = (text: string, y: number, size = 11) => ({ text, y, size })
const lead = 'The goods may be sent back within thirty days after their arrival, whatever the reason is.'
const page = (text: string) =>
  `<!doctype html><html><head><title>Returns</title></head><body><main><p>${text}</p></main></body></html>`

t.test('an uploaded document appears at once, and gets its text and its title', async (t) => {
  const parent_id = await folder('Manuals')
  const cases: [filename: string, bytes: Buffer, kept: Json, mime_type: string][] = [
    [
      'returns.md',
      Buffer.from('# Our returns\n\nWithin 30 days.'),
      { name: 'Our returns', content: '# Our returns\n\nWithin 30 days.' },
      'text/plain',
    ],
    ['notes.txt', Buffer.from('Within 30 days.'), { name: 'notes', content: 'Within 30 days.' }, 'text/plain'],
    ['page.html', Buffer.from(page(lead)), { name: 'Returns', content: `# Returns\n\n${lead}` }, 'text/html'],
    [
      'policy.pdf',
      pdfFile([[line('Policy', 700, 20), line(lead, 650)]]),
      { name: 'Policy', content: `# Policy\n\n${lead}` },
      'application/pdf',
    ],
    // The bytes decide, not the name.
    ['really.pdf', Buffer.from('plain'), { name: 'really', content: 'plain' }, 'text/plain'],
  ]
  for (const [filename, bytes, kept, mime_type] of cases) {
    const { status, body } = await importFile(tenant, bytes, { filename, parent_id })
    t.equal(status, 202, filename)
    t.match(body, {
      parent_id,
      type: 'document',
      content: null,
      index_status: 'pending',
      index_error: null,
      source_url: null,
    })
    t.equal((await nodeOf(tenant, body._id))._id, body._id, 'it is there')
    const done = await ended(tenant, body._id)
    const facts = {
      node_id: body._id,
      origin: 'file',
      source: filename,
      file_size: bytes.length,
      sha256: sha256(bytes),
    }
    t.match(done, { ...facts, mime_type, status: 'done', attempts: 1, error: null }, filename)
    t.match(await nodeOf(tenant, body._id), { parent_id, ...kept })
    await eventually(`${filename} is indexed`, async () => (await nodeOf(tenant, body._id)).index_status === 'indexed')
    const query = { query: kept.name, node_ids: [body._id] }
    const { data } = await made(tenant.api('POST', 'knowledge/search', query))
    t.match(data, [{ node_id: body._id, name: kept.name }], `${filename} is found`)
  }
})

t.test('a document from an address gets its text, its title and absolute links', async (t) => {
  site.set('/help/returns', page(`${lead} See <a href="../terms">terms</a>.`))
  site.set('/old', (_, response) => response.writeHead(301, { location: '/help/returns' }).end())
  const source_url = site.url('/help/returns')
  const { status, body } = await importUrl(tenant, `${source_url}#top`)
  t.equal(status, 202)
  t.match(body, { name: 'returns', parent_id: null, content: null, source_url, index_status: 'pending' })
  const bytes = Buffer.from(page(`${lead} See <a href="../terms">terms</a>.`))
  t.match(await ended(tenant, body._id), {
    origin: 'url',
    source: source_url,
    mime_type: 'text/html',
    sha256: sha256(bytes),
    status: 'done',
  })
  t.match(await nodeOf(tenant, body._id), {
    name: 'Returns',
    content: `# Returns\n\n${lead} See [terms](${site.url('/terms')}).`,
  })
  const redirected = (await importUrl(tenant, site.url('/old'))).body
  t.match(await ended(tenant, redirected._id), { status: 'done', source: site.url('/old') })
})

t.test('a given name and language stay', async (t) => {
  const { body } = await importFile(tenant, '# A title', { filename: 'named.md', name: 'My name', language: 'es' })
  await ended(tenant, body._id)
  t.match(await nodeOf(tenant, body._id), { name: 'My name', language: 'es' })
  const renamed = (await importFile(tenant, '# A title', { filename: 'renamed.md' })).body
  await ended(tenant, renamed._id)
  await made(tenant.api('PATCH', `knowledge/nodes/${renamed._id}`, { name: 'Renamed' }))
  await importFile(tenant, '# Another title', { filename: 'renamed.md' })
  await eventually(
    'it is imported again',
    async () => (await nodeOf(tenant, renamed._id)).content === '# Another title',
  )
  t.match(await nodeOf(tenant, renamed._id), { name: 'Renamed' })
})

t.test('the same source in the same folder replaces the text of its document', async (t) => {
  const parent_id = await folder('Again')
  const first = (await importFile(tenant, '# One', { filename: 'a.md', parent_id })).body
  await ended(tenant, first._id)
  const same = (await importFile(tenant, '# One', { filename: 'a.md', parent_id })).body
  t.equal(same._id, first._id)
  t.match(await importOf(tenant, first._id), { status: 'done', attempts: 1 }, 'the same bytes are not converted again')
  const second = (await importFile(tenant, '# Two', { filename: 'a.md', parent_id })).body
  t.match(second, { _id: first._id, content: '# One', index_status: 'pending' }, 'the former text stays until then')
  t.match(await ended(tenant, first._id), { status: 'done', sha256: sha256(Buffer.from('# Two')) })
  t.match(await nodeOf(tenant, first._id), { name: 'Two', content: '# Two' })
  const elsewhere = (await importFile(tenant, '# Two', { filename: 'a.md' })).body
  t.not(elsewhere._id, first._id, 'in another folder it is another document')
  t.not((await importFile(tenant, '# Two', { filename: 'b.md', parent_id })).body._id, first._id)

  site.set('/page', 'first')
  const fetched = (await importUrl(tenant, site.url('/page'), { parent_id })).body
  await ended(tenant, fetched._id)
  site.set('/page', 'second')
  t.equal((await importUrl(tenant, site.url('/page'), { parent_id })).body._id, fetched._id)
  await eventually('it has the new text', async () => (await nodeOf(tenant, fetched._id)).content === 'second')
  site.set('/page', 'third')
  const repeated = await tenant.api('POST', `knowledge/nodes/${fetched._id}/import`)
  t.match(repeated, { status: 202, body: { _id: fetched._id, content: 'second', index_status: 'pending' } })
  await eventually('it has the newest text', async () => (await nodeOf(tenant, fetched._id)).content === 'third')
  t.equal((await tenant.api('DELETE', `knowledge/nodes/${fetched._id}`)).status, 204)
  t.not(
    (await importUrl(tenant, site.url('/page'), { parent_id })).body._id,
    fetched._id,
    'a deleted one is not revived',
  )
})

t.test('a document that cannot be converted fails with a reason, and may be tried again', async (t) => {
  const cases: [filename: string, bytes: Buffer, code: string][] = [
    ['locked.pdf', pdfFile([[line('secret', 700)]], { password: 'word' }), 'encrypted'],
    ['scan.pdf', pdfFile([[]], { is_scan: true }), 'no_text'],
    ['broken.pdf', Buffer.from('%PDF-1.7\nand nothing else'), 'broken'],
    ['binary.txt', Buffer.concat([Buffer.from('text '.repeat(99)), Buffer.alloc(9)]), 'not_text'],
    ['long.txt', Buffer.alloc(2_100_000, 'word '), 'too_long'],
    ['image.md', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'unsupported_type'],
  ]
  for (const [filename, bytes, code] of cases) {
    const { body } = await importFile(tenant, bytes, { filename })
    const failed = await ended(tenant, body._id)
    t.match(failed, { status: 'failed', attempts: 1, error: { code, message: /^[A-Z].*\.$/ } }, filename)
    const node = await nodeOf(tenant, body._id)
    t.match(node, { index_status: 'failed', content: null })
    t.match(node.index_error, failed.error)
    const again = await tenant.api('POST', `knowledge/nodes/${body._id}/import`)
    t.match(again, { status: 202, body: { index_status: 'pending', index_error: null } })
    t.match(await ended(tenant, body._id), { status: 'failed', error: { code } }, 'its file is still there')
  }
  const listed = await made(tenant.api('GET', 'knowledge/imports?status=failed&limit=2'))
  t.equal(listed.data.length, 2)
  const next = await made(tenant.api('GET', `knowledge/imports?status=failed&cursor=${listed.next_cursor}`))
  t.equal(next.data.length, cases.length - 2)
  t.ok([...listed.data, ...next.data].every(({ status }: Json) => status === 'failed'))
})

t.test('an address that cannot be fetched fails with a reason', async (t) => {
  site.set('/loop', (_, response) => response.writeHead(302, { location: '/loop' }).end())
  site.set('/inside', (_, response) => response.writeHead(302, { location: 'https://10.0.0.1/' }).end())
  site.set('/meta', (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end())
  site.set('/script', (_, response) => response.writeHead(302, { location: 'javascript:alert(1)' }).end())
  const keyed = Object.assign(new URL(site.url('/missing')), { username: 'user', password: 'pass' }).href
  site.set('/keyed', (_, response) => response.writeHead(302, { location: keyed }).end())
  site.set('/large', (_, response) => response.writeHead(200, { 'content-length': 33 * 1024 * 1024 }).end())
  const endless = Buffer.alloc(1024 * 1024, 'word ')
  site.set('/endless', (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(endless)) {}
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  const cases: [path: string, code: string][] = [
    ['/missing', 'http_404'],
    ['/loop', 'too_many_redirects'],
    ['/inside', 'address_forbidden'],
    ['/meta', 'address_forbidden'],
    ['/script', 'invalid_request'],
    ['/keyed', 'url_credentials'],
    ['/large', 'too_large'],
    ['/endless', 'too_large'],
  ]
  for (const [path, code] of cases) {
    const { body } = await importUrl(tenant, site.url(path))
    t.match(await ended(tenant, body._id), { status: 'failed', error: { code, message: /^[A-Z].*\.$/ } }, path)
    t.match(await nodeOf(tenant, body._id), { index_status: 'failed', index_error: { code } })
  }
  site.set('/missing', 'there')
  const found = (await importUrl(tenant, site.url('/missing'))).body
  t.match(await ended(tenant, found._id), { status: 'done', error: null })
})

t.test('a server that has trouble is asked again', async (t) => {
  let asked = 0
  site.set('/trouble', (_, response) => {
    asked++
    if (asked === 1) response.writeHead(503).end()
    else response.end('recovered')
  })
  const { body } = await importUrl(tenant, site.url('/trouble'))
  await eventually('the first attempt has failed', async () => {
    const { status, error } = await importOf(tenant, body._id)
    return status === 'waiting' && error?.code === 'http_503'
  })
  t.match(await nodeOf(tenant, body._id), { index_status: 'pending' })
  t.match(await ended(tenant, body._id), { status: 'done', attempts: 2, error: null })
})

t.test('an invalid import is refused with all of its violations', async (t) => {
  const urls: [source_url: unknown, code: string][] = [
    [undefined, 'required'],
    [1, 'invalid_type'],
    ['returns', 'invalid_value'],
    ['ftp://example.com/a', 'invalid_value'],
    ['https://user:word@example.com/a', 'invalid_value'],
    ['https://10.0.0.1/a', 'invalid_value'],
    ['http://example.com/a', 'invalid_value'],
    ['https://example.com/a b', 'invalid_value'],
    [`https://example.com/${'a'.repeat(2048)}`, 'too_long'],
  ]
  for (const [source_url, code] of urls) {
    const answer = await tenant.api('POST', 'knowledge/nodes/import-url', { source_url })
    const violations = [{ path: 'source_url', code }]
    t.match(
      answer,
      { status: 400, body: { error: { code: 'VALIDATION_ERROR', details: { violations } } } },
      String(source_url),
    )
  }
  const form = await importFile(tenant, '', { filename: 'a.md', parent_id: 'x', language: 'xx', name: ' ' })
  t.equal(form.status, 400)
  t.same(form.body.error.details.violations.map(({ path }: Json) => path).sort(), [
    'file',
    'language',
    'name',
    'parent_id',
  ])
  const json = await tenant.api('POST', 'knowledge/nodes/import', { source_url: site.url('/page') })
  t.match(json, { status: 415, body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } } })
  const large = await importFile(tenant, Buffer.alloc(32 * 1024 * 1024 + 1, 'word '), { filename: 'large.txt' })
  t.match(large, { status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } })
})

t.test('a parent is an active folder of the project', async (t) => {
  const document = (await importFile(tenant, 'text', { filename: 'parent.md' })).body._id
  const cases: [parent_id: string, code: string][] = [
    [nobody, 'KNOWLEDGE_PARENT_NOT_FOUND'],
    [await folder('Foreign', sister), 'KNOWLEDGE_PARENT_NOT_FOUND'],
    [document, 'KNOWLEDGE_PARENT_NOT_FOLDER'],
  ]
  for (const [parent_id, code] of cases) {
    const key = { 'idempotency-key': `parent ${parent_id}` }
    for (const headers of [{}, key, key]) {
      const answer = await importFile(tenant, 'text', { filename: 'child.md', parent_id }, headers)
      t.match(answer, { status: 422, body: { error: { code, details: { parent_id } } } })
    }
    t.match(await importUrl(tenant, site.url('/page'), { parent_id }), { status: 422, body: { error: { code } } })
  }
})

t.test('an import belongs to its project', async (t) => {
  const { body } = await importFile(tenant, '# Mine', { filename: 'mine.md' })
  await ended(tenant, body._id)
  for (const method of ['GET', 'POST']) {
    t.equal((await sister.api(method, `knowledge/nodes/${body._id}/import`)).status, 404)
    t.equal((await tenant.api(method, `knowledge/nodes/${nobody}/import`)).status, 404)
  }
  t.strictSame((await made(sister.api('GET', 'knowledge/imports'))).data, [])
  const theirs = (await importFile(sister, '# Theirs', { filename: 'mine.md' })).body
  t.not(theirs._id, body._id, 'the same name is another document there')
  await ended(sister, theirs._id)
  t.match(await nodeOf(tenant, body._id), { content: '# Mine' })
  const plain = (await made(tenant.api('POST', 'knowledge/nodes', { type: 'document', name: 'Typed', content: 'x' })))
    ._id
  t.equal((await tenant.api('GET', `knowledge/nodes/${plain}/import`)).status, 404)
  t.match(await tenant.api('POST', `knowledge/nodes/${plain}/import`), {
    status: 409,
    body: { error: { code: 'KNOWLEDGE_NOT_IMPORTED' } },
  })
  t.match(await tenant.api('POST', `knowledge/nodes/${body._id}/import`), {
    status: 409,
    body: { error: { code: 'KNOWLEDGE_FILE_GONE' } },
  })
})

t.test('a repeated request under one key begins one import', async (t) => {
  const headers = { 'idempotency-key': 'one import' }
  const first = await importFile(tenant, '# Once', { filename: 'once.md' }, headers)
  const second = await importFile(tenant, '# Once', { filename: 'once.md' }, headers)
  t.same(second.body, first.body)
  t.equal(second.headers['idempotent-replayed'], 'true')
  const other = await importFile(tenant, '# Other', { filename: 'once.md' }, headers)
  t.match(other, { body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } })
})

t.test('a document that is deleted during its import stays deleted', async (t) => {
  let answer = (_: string) => {}
  site.set('/slow', (_, response) => {
    answer = (text) => response.end(text)
  })
  const { body } = await importUrl(tenant, site.url('/slow'))
  await eventually('it is being fetched', () => site.asked.includes('/slow'))
  t.equal((await tenant.api('DELETE', `knowledge/nodes/${body._id}`)).status, 204)
  answer('too late')
  const next = (await importFile(tenant, 'after', { filename: 'after.md' })).body
  await ended(tenant, next._id)
  t.equal((await tenant.api('GET', `knowledge/nodes/${body._id}`)).status, 404)
  t.equal((await tenant.api('GET', `knowledge/nodes/${body._id}/import`)).status, 404)
})

t.test('a newer import wins over one that is under way', async (t) => {
  const answers: ((text: string) => void)[] = []
  site.set('/changing', (_, response) => answers.push((text) => response.end(text)))
  const { body } = await importUrl(tenant, site.url('/changing'))
  await eventually('it is being fetched', () => answers.length === 1)
  await made(importUrl(tenant, site.url('/changing')))
  answers[0]!('old')
  await eventually('it is fetched again', () => answers.length === 2)
  t.match(await nodeOf(tenant, body._id), { content: null, index_status: 'pending' })
  answers[1]!('new')
  t.match(await ended(tenant, body._id), { status: 'done' })
  t.match(await nodeOf(tenant, body._id), { content: 'new' })
})

t.test('a project with too many unfinished imports takes no more until some have ended', async (t) => {
  const full = await makeTenant(world)
  const sql = (statement: string) => plainQuery(world.config.database_url!, statement)
  await sql(`insert into knowledge_import (node_id, company_id, project_id, import_id, origin, source, source_hash, status, due_at)
    select 'waiting ' || n, '', '${full.project_id}', '', 'url', '', '', 'waiting', now() + interval '1 hour'
    from generate_series(1, 2000) n`)
  const headers = { 'idempotency-key': 'when there is room' }
  const refused = { status: 503, headers: { 'retry-after': '10' }, body: { error: { code: 'SERVICE_UNAVAILABLE' } } }
  t.match(await importFile(full, '# More', { filename: 'more.md' }, headers), refused)
  t.match(await importUrl(full, site.url('/page')), refused)
  t.strictSame((await made(full.api('GET', 'knowledge/tree'))).data, [])
  await sql(`delete from knowledge_import where project_id = '${full.project_id}'`)
  const taken = await importFile(full, '# More', { filename: 'more.md' }, headers)
  t.equal(taken.status, 202, taken.text)
  t.match(await ended(full, taken.body._id), { status: 'done' })
})

t.test('an uploaded file is removed once it is converted', async (t) => {
  const before = await files()
  const { body } = await importFile(tenant, '# Removed', { filename: 'removed.md' })
  await ended(tenant, body._id)
  t.ok(
    await eventually('the file has expired, by the clock of the database', async () =>
      (await files()).every((id) => before.includes(id)),
    ),
    'its row has expired, so the tidying removes the bytes',
  )
})

/** Ids of files of the project that have not expired. Other tests upload to the node meanwhile. */
async function files(): Promise<string[]> {
  const rows = await plainQuery(
    world.config.database_url!,
    `select media_id from media where project_id = '${tenant.project_id}' and expires_at > now()`,
  )
  return (rows as { media_id: string }[]).map(({ media_id }) => media_id)
}
