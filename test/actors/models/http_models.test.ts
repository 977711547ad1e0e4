/** The models of a node: what the operator configures, and what is loaded and connected for it. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import t from 'tap'
import { HttpModels } from '../../../actors/models/mod.ts'
import { issue } from '../../support/certificates.ts'
import { askHouse, completion, entry, modelServer, models } from './model_server.ts'

t.test('a quiet cluster asks nobody', async (t) => {
  const server = await modelServer(t)
  const all = new HttpModels({ entries: [entry(server.url)], calls: 1, isQuiet: () => true })
  t.teardown(() => all.close())
  t.match(await askHouse(all), { kind: 'retry', code: 'unavailable', message: /quiet/, maybe_paid: false })
  t.equal(server.asked.length, 0)
})

t.test('the library for models is loaded at the first question', async (t) => {
  const server = await modelServer(t)
  const program = `
    import { registerHooks } from 'node:module'
    let loaded = false
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context)
        if (found.url.includes('/@ai-sdk/')) loaded = true
        return found
      },
    })
    const { HttpModels } = await import(${JSON.stringify(import.meta.resolve('../../../actors/models/mod.ts'))})
    const all = new HttpModels({ entries: [${JSON.stringify(entry(server.url))}], calls: 1 })
    const before = loaded
    const signal = new AbortController().signal
    const question = { model: 'house', messages: [{ role: 'user', parts: [] }], tools: [], max_output_tokens: 9 }
    const answer = await all.ask(question, { owner: 'p', signal, deadline_ms: 60_000 })
    await all.close()
    console.log(JSON.stringify([before, loaded, answer.kind]))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  t.strictSame(JSON.parse(stdout), [false, true, 'answer'])
})

t.test('certificates of the operator', async (t) => {
  const authority = issue({ name: 'House', is_authority: true })
  const { cert, key } = issue({ name: '127.0.0.1', hosts: ['127.0.0.1'], by: authority })
  const server = createServer({ cert, key }, (_, response) => response.end(completion({})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const unavailable = {
    kind: 'retry',
    code: 'unavailable',
    status: null,
    message: /unable_to_verify/,
    maybe_paid: false,
  }
  t.match(await askHouse(models(t, [entry(url)])), unavailable)
  const all = new HttpModels({ entries: [entry(url)], calls: 1, certificates: [authority.cert] })
  t.teardown(() => all.close())
  t.match(await askHouse(all), { kind: 'answer' })
})

t.test('descriptions', async (t) => {
  const price = { input: '0.25', output: '2', currency: 'USD' }
  const all = models(t, [
    entry('http://127.0.0.1:1/v1', { price }),
    entry('http://127.0.0.1:1/v1', { name: 'second', transcription: null }),
  ])
  t.strictSame(all.names, ['house', 'second'])
  t.match(all.find('house'), {
    context: 8000,
    price: { input: 250_000n, output: 2_000_000n, currency: 'USD' },
    transcribes: true,
  })
  t.match(all.find('second'), { price: null, transcribes: false })
  t.equal(all.find('third'), undefined)
})
