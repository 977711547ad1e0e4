import t from 'tap'
import { FloodGuard } from '../../http/app/node/flood_guard.ts'
import { nodeLog } from '../../http/app/node/node_log.ts'
import { eventually } from '../e2e/client.ts'

type Line = { level: string; fields: Record<string, unknown>; message: string }

function record() {
  const lines: Line[] = []
  const writer = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: fields as Line['fields'], message })
  return { lines, log: { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') } }
}

t.test('each line names the node, and the project where it is known', async (t) => {
  const { lines, log } = record()
  const own = nodeLog(log, 'a1b2')
  own.info({}, 'begun')
  own.debug({ address: 'project/66f2' }, 'seen')
  own.error({ address: 'channel/77aa', error: 'x' }, 'failed')
  own.warn({ address: 'project/66f2', project_id: 'said' }, 'known')
  t.same(lines, [
    { level: 'info', fields: { node: 'a1b2' }, message: 'begun' },
    { level: 'debug', fields: { node: 'a1b2', project_id: '66f2', address: 'project/66f2' }, message: 'seen' },
    { level: 'error', fields: { node: 'a1b2', address: 'channel/77aa', error: 'x' }, message: 'failed' },
    { level: 'warn', fields: { node: 'a1b2', project_id: 'said', address: 'project/66f2' }, message: 'known' },
  ])
  own.stop()
})

t.test('of each kind of warning ten lines pass, others are not held up, and what is left out is counted', async (t) => {
  const { lines, log } = record()
  const own = nodeLog(log, 'a1b2')
  for (let n = 0; n < 1000; n++) own.warn({ n }, 'a turn waits')
  for (let n = 0; n < 30; n++) own.info({ n }, 'a document was imported')
  own.error({}, 'a turn waits')
  own.warn({}, 'another kind')
  const of = (level: string, message: string) =>
    lines.filter((line) => line.level === level && line.message === message)
  t.equal(of('warn', 'a turn waits').length, 10)
  t.equal(of('info', 'a document was imported').length, 30, 'what is no trouble is told each time')
  t.equal(of('error', 'a turn waits').length, 1)
  t.equal(of('warn', 'another kind').length, 1)
  own.stop()
  t.same(of('warn', 'a turn waits').at(-1)?.fields, { node: 'a1b2', n: 999, left_out: 990 })
  t.equal(lines.length, 10 + 30 + 1 + 1 + 1)
})

t.test('after a while the lines of a kind pass again', async (t) => {
  const written: object[] = []
  const guard = new FloodGuard((fields) => written.push(fields), 50)
  for (let n = 0; n < 12; n++) guard.write({ n }, 'x')
  await eventually('the while is over', () => written.length === 11)
  t.same(written.at(-1), { n: 11, left_out: 2 })
  guard.write({ n: 12 }, 'x')
  t.same(written.at(-1), { n: 12 })
  guard.stop()
  t.equal(written.length, 12, 'nothing is told of what was not left out')
})

t.test('kinds without end are not remembered without end', async (t) => {
  let written = 0
  const guard = new FloodGuard(() => written++)
  for (let n = 0; n < 5000; n++) guard.write({}, `kind ${n}`)
  t.equal(written, 5000)
  guard.stop()
  t.equal(written, 5000)
})
