import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { testDatabase, testNats } from '../support/mod.ts'
import { linkKind, upTo } from './support/links.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const chain = fileURLToPath(new URL('child/chain.ts', import.meta.url))

/** Runs the chain until it kills itself. Returns the numbers that were answered. */
async function runToDeath(env: Record<string, string>): Promise<number[]> {
  const child = spawn(process.execPath, [chain], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  const signal = await new Promise((resolve) => child.once('close', (_code, signal) => resolve(signal)))
  if (signal !== 'SIGKILL') throw new Error(`the chain ended by ${signal}: ${output}`)
  return output.split('\n').slice(0, -1).map(Number)
}

t.test('I1 I2 I7 I8 a node killed between any two steps loses, repeats and reorders nothing', async (t) => {
  const { database, url } = await testDatabase(t)
  const nats = await testNats(t)
  const deaths: [string, number][] = [
    ['before the commit', 12],
    ['after the commit', 12],
    ['during the commit', 25],
    ['after the publish', 9],
    ['in mid-turn', 15],
    ['any time', 250 * Math.random()],
    ['any time', 250 * Math.random()],
  ]
  const answered: number[] = []
  for (const [at, after] of deaths) {
    const broker = { NATS: nats.url, PREFIX: nats.prefix, REPLICAS: String(nats.replicas) }
    const numbers = await runToDeath({ DATABASE: url, ...broker, DIE_AT: at, DIE_AFTER: String(after) })
    t.comment(`killed ${at} (${after.toFixed(0)}) after ${numbers.length} answers`)
    answered.push(...numbers)
  }
  const link = linkKind()
  const node = await startNode(t, { database, nats }, [link])
  const taken = (await node.ask(link.address('a'), {
    type: 'next',
    path: [link.address('b'), link.address('c')],
  })) as number
  t.equal(new Set(answered).size, answered.length, 'no number was answered twice')
  t.ok(Math.max(...answered) < taken, 'no answered number was lost')
  for (const key of ['b', 'c']) {
    const seen = async () => (await node.ask(link.address(key), { type: 'seen' }))['link/a'] ?? []
    await until(async () => (await seen()).length >= taken)
    t.strictSame(await seen(), upTo(taken), `${key} saw every number once and in order`)
  }
  t.strictSame(await database.execute('select * from outbox'), [])
  t.strictSame(await database.execute('select * from dead_letter'), [])
})
