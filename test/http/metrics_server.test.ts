import { createServer } from 'node:net'
import t from 'tap'
import { mergeMetrics } from '../../http/app/metrics/metrics_of_processes.ts'
import { FIRST_METRICS_PORT, startMetricsServer } from '../../http/app/metrics/metrics_server.ts'
import { freePort, type Owner } from '../support/mod.ts'

const host = '127.0.0.1'

/** Listens on a port unless somebody else does already. */
async function take(t: Owner, port: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve())
    server.listen({ port, host, exclusive: true }, () => resolve())
  })
  t.teardown(() => server.close())
}

t.test('the text is made once for all requests of a second', async (t) => {
  let made = 0
  const finished = Promise.withResolvers<void>()
  const text = async () => {
    made++
    await finished.promise
    return `made ${made}\n`
  }
  const server = await startMetricsServer({ host, port: await freePort(), text })
  t.teardown(() => server.close())
  const ask = async () => (await fetch(server.url)).text()
  const together = Promise.all([ask(), ask(), ask()])
  finished.resolve()
  t.same(await together, ['made 1\n', 'made 1\n', 'made 1\n'])
  while ((await ask()) === 'made 1\n') await new Promise((resolve) => setTimeout(resolve, 20))
  t.equal(made, 2, 'however many asked meanwhile')
})

t.test('the metrics server has no route but the figures', async (t) => {
  const server = await startMetricsServer({ host, port: await freePort(), text: async () => 'x 1\n' })
  t.teardown(() => server.close())
  const answer = await fetch(server.url)
  t.match(answer.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  t.equal((await fetch(server.url.replace('/metrics', '/v1/me'))).status, 404)
  t.equal((await fetch(server.url, { method: 'POST' })).status, 405)
  const head = await fetch(server.url, { method: 'HEAD' })
  t.match([head.status, head.headers.get('content-length')], [200, '4'])
})

t.test('each start on a machine takes a free port; a configured port is taken or the start is refused', async (t) => {
  await take(t, FIRST_METRICS_PORT)
  const text = async () => 'x 1\n'
  const one = await startMetricsServer({ host, port: null, text })
  t.teardown(() => one.close())
  const two = await startMetricsServer({ host, port: null, text })
  t.teardown(() => two.close())
  const [first, second] = [one, two].map(({ url }) => Number(new URL(url).port)) as [number, number]
  t.ok(first > FIRST_METRICS_PORT && second > first, `${first}, ${second}`)
  await t.rejects(
    startMetricsServer({ host, port: first, text }),
    /^Cannot listen on 127\.0\.0\.1:\d+ for \/metrics \(EADDRINUSE\): set PARLEY_METRICS_PORT to another port/,
  )
})

t.test('figures of several processes are one text, each family once', (t) => {
  const of = (process: number, value: number) =>
    `# HELP a_total How many.\n# TYPE a_total counter\na_total{process="${process}"} ${value}\n\n` +
    `# HELP b Some.\n# TYPE b gauge\n`
  t.equal(
    mergeMetrics([of(1, 5), '', of(2, 7)]),
    '# HELP a_total How many.\n# TYPE a_total counter\na_total{process="1"} 5\na_total{process="2"} 7\n\n' +
      '# HELP b Some.\n# TYPE b gauge\n\n',
  )
  t.end()
})
