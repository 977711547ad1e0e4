/** The control API of the simulated model: prepared replies and the log of calls; and transcriptions. */
import t from 'tap'
import { type Json, modelClient, VOICE } from './model_client.ts'

const { call, chat, control, ask, transcribe } = await modelClient(t)

t.test('the script of the control API goes before magic words', async (t) => {
  const script = [
    { match: 'ORDER', answer: 'Your order is packed.', usage: { prompt_tokens: 70, completion_tokens: 5 } },
    {
      tool_calls: [
        { name: 'order_status', arguments: { number: 'A1' } },
        { name: 'hand_over', arguments: '{oops' },
      ],
      times: 2,
    },
    { fault: 429, retry_after: 4 },
    { fault: 'empty' },
    { answer: 'Late.', delay_ms: 10 },
  ]
  t.match(await control('POST', '', { script }), {
    status: 201,
    body: { data: [{ id: /^scr_\d+$/, times: 1 }, {}, {}, {}, {}] },
  })
  t.match(await call('GET', '_control'), { body: { model: { script: 5 } } })
  const calls = [
    { name: 'order_status', arguments: '{"number":"A1"}' },
    { name: 'hand_over', arguments: '{oops' },
  ]
  t.match(await ask('Hello'), { tool_calls: calls })
  t.match(await ask('Where is my order?'), {
    text: 'Your order is packed.',
    usage: { input_tokens: 70, output_tokens: 5 },
  })
  t.match(await ask('model 500'), { tool_calls: calls })
  t.match(await ask('Hello'), { code: 'rate_limited', retry_after_s: 4 })
  t.match(await ask('Hello'), { code: 'empty' })
  t.match((await control('GET')).body, { data: [{ text: 'Late.', delay_ms: 10 }] })
  t.match(await control('DELETE'), { body: { removed: 1 } })
  t.match(await ask('Hello'), { text: 'You wrote: “Hello”' })
})

t.test('a wrong script is refused as a whole', async (t) => {
  for (const [body, sentence] of [
    [{}, /script must be a list/],
    [{ script: [] }, /script must be a list/],
    [{ scripts: [] }, /no field "scripts"/],
    [{ script: [{ answer: 'x' }, 7] }, /script\[1\] must be an object/],
    [{ script: [{}] }, /needs an answer, tool_calls or a fault/],
    [{ script: [{ fault: 'fire' }] }, /fault must be one of 400/],
    [{ script: [{ answer: 'x', delay_ms: -1 }] }, /delay_ms must be a number/],
    [{ script: [{ answer: 'x', colour: 1 }] }, /no field "colour"/],
    [{ script: [{ answer: 'x', operation: 'sing' }] }, /operation must be chat or transcription/],
    [{ script: [{ tool_calls: [{}] }] }, /must have a name/],
    [{ script: [{ answer: 'x', usage: {} }] }, /usage must be/],
    [{ script: Array(1001).fill({ answer: 'x' }) }, /at most 1000 replies/],
  ] as const) {
    t.match(await control('POST', '', body), {
      status: 400,
      body: { error: { code: 'VALIDATION_ERROR', message: sentence } },
    })
  }
  t.match((await control('GET')).body, { data: [] })
})

t.test('calls are kept with their bodies, within bounds', async (t) => {
  t.match(await control('DELETE', '/calls'), { status: 200 })
  const picture = { type: 'file' as const, media_type: 'image/png', data: new Uint8Array(100_000).fill(1) }
  await ask([{ role: 'user', parts: [{ type: 'text', text: 'What is this' }, picture] }])
  await ask('model 500')
  await chat('{')
  const { body } = await control('GET', '/calls')
  t.match(body.data, [
    {
      operation: 'chat',
      model: 'simulated',
      outcome: 'answer',
      at: /^\d{4}-.*Z$/,
      body: { messages: [{ role: 'user' }], tools: [{}, {}, {}] },
    },
    { outcome: '500' },
    { outcome: '400', body: '{' },
  ])
  t.ok(JSON.stringify(body).length < 20_000, 'files are shortened')
  const { sequence } = (body.data as Json[])[1]!
  t.equal(((await control('GET', `/calls?after=${sequence}`)).body.data as Json[]).length, 1)
  t.match(await control('GET', '/calls?after=x'), { status: 400 })
  for (let n = 0; n < 40; n++)
    await chat({ model: 'm', messages: [{ role: 'user', content: `model cut ${'y '.repeat(200_000)}` }] }).catch(
      () => undefined,
    )
  const kept = (await control('GET', '/calls')).body.data as Json[]
  t.ok(kept.length > 10 && JSON.stringify(kept).length < 34 * 1024 * 1024, `${kept.length} calls`)
})

t.test('recordings', async (t) => {
  t.match(await transcribe(), { kind: 'transcript', text: 'Wo ist meine Bestellung?', duration_s: null })
  t.match(await transcribe('a"b\r\nc.ogg'), { kind: 'transcript' })
  t.match(await transcribe('voice.ogg', 'other'), { kind: 'refused', code: 'unknown_model' })
  t.match(await transcribe('voice.txt'), { kind: 'refused', code: 'rejected', status: 400 })
  t.match(await transcribe('voice.ogg', 'simulated', new Uint8Array()), { code: 'unreadable' })
  t.match(await transcribe('voice.ogg', 'simulated', new Uint8Array(25 * 1024 * 1024 + 1)), {
    code: 'unreadable',
    message: /25 MiB/,
  })
  const faults = [503, 429, 'cut', 'broken', 'empty', 'hang']
  await control('POST', '', { script: faults.map((fault) => ({ operation: 'transcription', match: 'voice', fault })) })
  const codes = ['unavailable', 'rate_limited', 'cut', 'malformed', 'empty', 'timeout']
  for (const code of codes)
    t.match(await transcribe('voice.ogg', 'simulated', VOICE, code === 'timeout' ? 300 : 60_000), {
      kind: 'retry',
      code,
    })
  await control('POST', '', { script: [{ operation: 'transcription', answer: 'Prepared.' }] })
  t.match(await transcribe(), { text: 'Prepared.' })
  t.match(((await control('GET', '/calls')).body.data as Json[]).at(-1), {
    operation: 'transcription',
    body: { name: 'voice.ogg', type: 'audio/ogg', size: VOICE.length },
  })
})
