/**
 * A real Prometheus answers each query of the dashboard, after a little load on a node. `npm run pictures` has it drawn.
 */
import { join } from 'node:path'
import t from 'tap'
import { ROWS } from '../../http/metrics/dashboard/rows.ts'
import { eventually, sleep } from '../e2e/client.ts'
import { made, makeTenant, startWorld } from '../e2e/fixture.ts'
import { drawDashboard } from './dashboard_picture.ts'
import { findPrometheus, startPrometheus } from './prometheus.ts'

/** The values that Grafana puts in for its variables. */
const filled = (expr: string) => expr.replaceAll('$job', 'parley').replaceAll('$__rate_interval', '5s')

const programs = await findPrometheus()
if (!programs) t.pass('prometheus is neither installed here nor to be had from Debian')
else {
  const world = await startWorld(t)
  const prometheus = await startPrometheus(t, programs, { targets: [new URL(world.metrics_url()).host] })
  const tenant = await makeTenant(world)
  const pictures = process.env.PARLEY_TEST_PICTURES
  /** Seconds of load; a picture shows some ups and downs. */
  const seconds = pictures ? 90 : 12

  t.test('each query has an answer, and series unless they are rare', async (t) => {
    await tenant.subscribe('dashboard', ['whatsapp.message.sent', 'whatsapp.message.delivered'])
    for (let second = 0; second < seconds; second++) {
      const waves = 3 + Math.round(2 * Math.sin(second / 8))
      const sent = Array.from({ length: waves }, (_, n) => made(tenant.send(`+1555027${String(n).padStart(4, '0')}`)))
      await Promise.all([...sent, made(tenant.api('GET', 'messages')), tenant.api('GET', 'contacts/nobody')])
      await sleep(1000)
    }
    await eventually('the node was read', async () => (await prometheus.query('parley_nodes')).length > 0)
    for (const { title: row, panels } of ROWS) {
      for (const { title, queries, is_rare } of panels) {
        const found = await Promise.all(queries.map(({ expr }) => prometheus.query(filled(expr))))
        const count = found.flat().length
        t.ok(is_rare || count > 0, `${row}, ${title}: ${count} series`)
        for (const { value } of found.flat()) t.ok(value[1] !== '' && !value[1].includes('Inf'), title)
      }
    }
  })

  if (pictures) {
    t.test('the picture', async () => {
      const read = (expr: string) => prometheus.range(filled(expr), seconds)
      await drawDashboard(ROWS, read, join(pictures, 'dashboard.png'))
    })
  }
}
