/** What a program in the confines of a conversion may not do. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { spawnConfined } from '../../../actors/confined/spawn_confined.ts'
import { tempDir } from '../../support/mod.ts'

const DENY = fileURLToPath(new URL('../../../actors/confined/deny.ts', import.meta.url))
const confines = { memory_mib: 512, cpu_s: 30 }

/** Runs the code in the confines, with `attempts` to fill. Resolves to what it prints. */
async function confined(code: string): Promise<Record<string, string>> {
  const program = `
    const { denyNetworkAndSignals } = await import(${JSON.stringify(`file://${DENY}`)})
    denyNetworkAndSignals()
    const [net, dgram, http, dns] = await Promise.all(['net', 'dgram', 'http', 'dns'].map((name) => import('node:' + name)))
    const attempts = {}
    const attempt = async (name, act) => {
      try { attempts[name] = 'done: ' + await act() } catch (error) { attempts[name] = 'denied' }
    }
    ${code}
    console.log(JSON.stringify(attempts))`
  const child = spawnConfined(['--input-type=module', '-e', program], confines)
  child.stdin.end()
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    err += text
  })
  await once(child, 'close')
  if (out === '') throw new Error(err)
  return JSON.parse(out)
}

t.test('a program in the confines reaches no server, no socket and no process', async (t) => {
  let calls = 0
  const answer = () => {
    calls++
  }
  const tcp = createServer(answer).listen(0, '127.0.0.1')
  const path = join(tempDir(t), 'socket')
  const unix = createServer(answer).listen(path)
  await Promise.all([once(tcp, 'listening'), once(unix, 'listening')])
  t.teardown(() => {
    tcp.close()
    unix.close()
  })
  const { port } = tcp.address() as { port: number }
  const attempts = await confined(`
    const connected = (to) => new Promise((resolve, reject) => net.connect(to).on('connect', resolve).on('error', reject))
    await attempt('tcp', () => connected({ port: ${port}, host: '127.0.0.1' }))
    await attempt('unix', () => connected({ path: ${JSON.stringify(path)} }))
    await attempt('http', () => new Promise((resolve, reject) =>
      http.get('http://127.0.0.1:${port}').on('response', resolve).on('error', reject)))
    await attempt('fetch', () => fetch('http://127.0.0.1:${port}'))
    await attempt('websocket', () => new WebSocket('ws://127.0.0.1:${port}'))
    await attempt('udp', () => dgram.createSocket('udp4').send('x', ${port}, '127.0.0.1'))
    await attempt('listen', () => net.createServer().listen(0))
    await attempt('kill', () => process.kill(process.ppid, 0))
    await attempt('restore', () => { process.kill = () => {}; return process.kill(process.ppid, 0) })`)
  const names = ['tcp', 'unix', 'http', 'fetch', 'websocket', 'udp', 'listen', 'kill', 'restore']
  t.strictSame(attempts, Object.fromEntries(names.map((name) => [name, 'denied'])))
  t.equal(calls, 0)
})
