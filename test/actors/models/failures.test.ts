/** Each way in which a model fails is one named outcome, over real connections, and asks whether the caller may repeat. */
import { createServer } from 'node:net'
import t from 'tap'
import { askHouse, completion, entry, event, type ModelServer, modelServer, models } from './model_server.ts'

const refusal = (code: string, message: string) =>
  JSON.stringify({ error: { message, type: 'error', param: null, code } })

t.test('statuses', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const rows: [number, string, Record<string, string>, object][] = [
    [
      400,
      refusal('invalid_value', 'no such thing'),
      {},
      { kind: 'refused', code: 'rejected', message: /no such thing/ },
    ],
    [400, refusal('context_length_exceeded', 'maximum'), {}, { kind: 'refused', code: 'too_long' }],
    [400, '{"error":"This model\'s maximum context length is 4096 tokens"}', {}, { code: 'too_long' }],
    [413, '', {}, { kind: 'refused', code: 'too_long' }],
    [401, refusal('invalid_api_key', 'wrong key'), {}, { kind: 'refused', code: 'unauthorized' }],
    [403, 'nginx', {}, { kind: 'refused', code: 'unauthorized' }],
    [402, '', {}, { kind: 'refused', code: 'quota_exhausted' }],
    [404, refusal('model_not_found', 'no'), {}, { kind: 'refused', code: 'withdrawn' }],
    [410, '', {}, { kind: 'refused', code: 'withdrawn' }],
    [422, '{"detail":[]}', {}, { kind: 'refused', code: 'rejected' }],
    [429, '', { 'retry-after': '7' }, { kind: 'retry', code: 'rate_limited', retry_after_s: 7 }],
    [429, '', { 'retry-after-ms': '1500' }, { code: 'rate_limited', retry_after_s: 1.5 }],
    [429, refusal('insufficient_quota', 'pay'), {}, { kind: 'refused', code: 'quota_exhausted' }],
    [500, refusal('server_error', 'sorry'), {}, { kind: 'retry', code: 'unavailable', maybe_paid: true }],
    [502, '<html>', {}, { kind: 'retry', code: 'unavailable', maybe_paid: true }],
    [503, '', { 'retry-after': '99999999' }, { kind: 'retry', code: 'unavailable', retry_after_s: 86_400 }],
    [408, '', {}, { kind: 'retry', code: 'unavailable' }],
    [301, '', { location: server.url }, { kind: 'refused', code: 'rejected' }],
    [307, '', { location: server.url }, { kind: 'refused', code: 'rejected' }],
  ]
  for (const stream of [false, true]) {
    for (const [status, body, headers, expected] of rows) {
      const before = server.asked.length
      server.answer((response) => response.writeHead(status, headers).end(body))
      const failure = await askHouse(all, stream ? { onText: () => undefined } : {})
      t.match(failure, { status, ...expected }, `${status} ${JSON.stringify(expected)}`)
      if (status < 500 && status !== 408) t.match(failure, { maybe_paid: false })
      t.equal(server.asked.length, before + 1, 'asked once')
    }
  }
})

t.test('a date in Retry-After', async (t) => {
  const server = await modelServer(t)
  const at = new Date(Date.now() + 90_000).toUTCString()
  server.answer((response) => response.writeHead(429, { 'retry-after': at }).end())
  const failure = await askHouse(models(t, [entry(server.url)]))
  if (failure.kind === 'answer') return t.fail('an answer')
  t.ok((failure.retry_after_s ?? 0) > 60 && (failure.retry_after_s ?? 0) <= 91, String(failure.retry_after_s))
})

t.test('no connection', async (t) => {
  const gone = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => gone.once('listening', resolve))
  const { port } = gone.address() as { port: number }
  await new Promise((resolve) => gone.close(resolve))
  const unavailable = { kind: 'retry', code: 'unavailable', status: null, maybe_paid: false }
  for (const url of [`http://127.0.0.1:${port}/v1`, 'http://models.invalid/v1']) {
    t.match(await askHouse(models(t, [entry(url)])), unavailable, url)
  }
})

t.test('a server that never answers, and one that stops within its answer', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const timeout = { kind: 'retry', code: 'timeout', maybe_paid: true }
  server.answer(() => undefined)
  t.match(await askHouse(all, { deadline_ms: 200 }), { ...timeout, status: null })
  server.answer((response) => response.writeHead(200).write('{"choices"'))
  t.match(await askHouse(all, { deadline_ms: 200 }), { ...timeout, status: 200 })
  server.answer((response) => response.writeHead(200).write(event({ content: 'Good' })))
  const texts: string[] = []
  t.match(await askHouse(all, { deadline_ms: 400, onText: (text) => texts.push(text) }), { ...timeout, status: 200 })
  t.strictSame(texts, ['Good'])
})

t.test('the caller and the end of the node end a call', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const caller = new AbortController()
  server.answer(() => caller.abort())
  t.match(await askHouse(all, { signal: caller.signal }), { kind: 'retry', code: 'aborted', maybe_paid: true })
  t.match(await askHouse(all, { signal: caller.signal }), { code: 'aborted', maybe_paid: false })
  const before = server.asked.length
  server.answer(() => void all.close())
  t.match(await askHouse(all), { kind: 'retry', code: 'aborted', maybe_paid: true })
  t.match(await askHouse(all), { kind: 'retry', code: 'aborted', maybe_paid: false })
  t.equal(server.asked.length, before + 1)
})

t.test('connections that end within the answer', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const cut = { kind: 'retry', code: 'cut', maybe_paid: true }
  server.answer((response) => response.socket?.destroy())
  t.match(await askHouse(all), cut, 'before the head')
  server.answer((response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('{"choices"')
    setImmediate(() => response.socket?.destroy())
  })
  t.match(await askHouse(all), cut, 'a whole answer')
  server.answer((response) => {
    response.writeHead(200).write(event({ content: 'Good' }))
    setTimeout(() => response.socket?.destroy(), 20)
  })
  t.match(await askHouse(all, { onText: () => undefined }), cut, 'a stream')
  server.answer((response) => response.writeHead(200).end(event({ content: 'Good' })))
  t.match(await askHouse(all, { onText: () => undefined }), cut, 'a stream that ends without its last event')
})

t.test('answers that are none', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const malformed = { kind: 'retry', code: 'malformed', status: 200, maybe_paid: true }
  for (const body of [
    '',
    '{',
    '[]',
    'null',
    '{"choices":{}}',
    '{"choices":[]}',
    '{"choices":[{"message":{"content":7}}]}',
    '<html>',
  ]) {
    server.answer((response) => response.end(body))
    t.match(await askHouse(all), malformed, body)
  }
  for (const body of ['data: {\n\n', `${event({ content: 'Good' })}data: {"choices":[{"delta":{"content":7}}]}\n\n`]) {
    server.answer((response) => response.writeHead(200).write(body))
    t.match(await askHouse(all, { onText: () => undefined }), malformed, body)
  }
  const nameless = event({ tool_calls: [{ function: { arguments: '{}' } }] })
  const closed = Promise.withResolvers<void>()
  server.answer((response) => {
    response.on('close', closed.resolve)
    response.writeHead(200).write(nameless)
  })
  t.match(await askHouse(all, { onText: () => undefined }), malformed, 'a call without a name')
  await closed.promise
  server.answer((response) => response.writeHead(204).end())
  t.match(await askHouse(all), { kind: 'retry', code: 'malformed' })
  t.match(await askHouse(all, { onText: () => undefined }), { kind: 'retry', code: 'malformed' })
})

t.test('an answer that is not HTTP', async (t) => {
  const raw = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end('SSH-2.0-OpenSSH_9.2\r\n'),
  )
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
  t.teardown(() => raw.close())
  const { port } = raw.address() as { port: number }
  t.match(await askHouse(models(t, [entry(`http://127.0.0.1:${port}/v1`)])), { kind: 'retry', code: 'malformed' })
})

t.test('error objects with status 200', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const error = { message: 'Provider returned error', code: 429 }
  server.answer((response) => response.end(JSON.stringify({ error })))
  t.match(await askHouse(all), { kind: 'retry', code: 'rate_limited', message: /Provider returned error/ })
  server.answer((response) => response.write(`${event({ content: 'Go' })}data: ${JSON.stringify({ error })}\n\n`))
  t.match(await askHouse(all, { onText: () => undefined }), {
    code: 'rate_limited',
    message: /Provider returned error/,
  })
  server.answer((response) =>
    response.write(`data: {"error":{"message":"The server had an error","type":"server_error"}}\n\n`),
  )
  t.match(await askHouse(all, { onText: () => undefined }), { kind: 'retry', code: 'unavailable', maybe_paid: true })
})

t.test('empty answers', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  for (const content of ['', null, ' \n']) {
    server.answer((response) => response.end(completion({ message: { content } })))
    t.match(await askHouse(all), { kind: 'retry', code: 'empty', status: 200, maybe_paid: true })
  }
  const thoughts = { content: null, reasoning_content: 'Hm' }
  server.answer((response) => response.end(completion({ message: thoughts, finish_reason: 'length' })))
  t.match(await askHouse(all), { kind: 'retry', code: 'empty', message: /thoughts/ })
  server.answer((response) => response.end(`${event({ role: 'assistant' })}${event({}, 'stop')}data: [DONE]\n\n`))
  t.match(await askHouse(all, { onText: () => undefined }), { kind: 'retry', code: 'empty' })
})

const flood = (server: ModelServer, piece: string) => {
  const ended = Promise.withResolvers<number>()
  server.answer((response) => {
    let sent = 0
    response.on('close', () => ended.resolve(sent)).on('error', () => undefined)
    response.writeHead(200)
    const write = () => {
      while (!response.destroyed && sent < 100 * 1024 * 1024) {
        sent += piece.length
        if (!response.write(piece)) return void response.once('drain', write)
      }
      response.end()
    }
    write()
  })
  return ended.promise
}

t.test('an answer of 100 MB, and a stream without an end, are cut', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const too_large = { kind: 'refused', code: 'too_large', maybe_paid: true }
  for (const onText of [undefined, () => undefined]) {
    const sent = flood(server, event({ content: 'word '.repeat(1000) }))
    t.match(await askHouse(all, onText ? { onText } : {}), too_large)
    t.ok((await sent) < 30 * 1024 * 1024, `the server sent ${await sent} bytes`)
  }
  const silent = flood(server, ': still here\n\n'.repeat(100))
  t.match(await askHouse(all, { onText: () => undefined }), too_large, 'comments count as well')
  t.ok((await silent) < 30 * 1024 * 1024)
  server.answer((response) => response.end(completion({ message: { content: 'x'.repeat(20_000) } })))
  t.match(await askHouse(all), too_large, 'more tokens than were asked for')
  server.answer(() => undefined)
})

t.test('a failure never repeats the key, and few words of the provider', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url, { headers: { 'api-key': 'secret-of-a-header' } })])
  const message = `Incorrect API key provided: sk-secret-of-the-house, secret-of-a-header.\n${'x'.repeat(100_000)}`
  server.answer((response) => response.writeHead(401).end(refusal('invalid_api_key', message)))
  const failure = await askHouse(all)
  t.match(failure, { code: 'unauthorized', message: /Incorrect API key provided: …, …\. x+$/ })
  t.notMatch(JSON.stringify(failure), 'secret')
  t.ok(failure.kind !== 'answer' && failure.message.length < 500)
})
