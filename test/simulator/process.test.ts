import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { NUMBER, PERSON } from './fixture.ts'
import type { Json } from './receiver.ts'

async function start(options: Json): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['http/simulator/main.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PARLEY_SIMULATOR: JSON.stringify(options) },
  })
  const [line] = await once(createInterface({ input: child.stdout! }), 'line')
  return { child, ...(JSON.parse(line) as { url: string }) }
}

async function send(url: string, opaque: string): Promise<string> {
  const response = await fetch(`${url}/v25.0/${NUMBER.phone_number_id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${NUMBER.access_token}` },
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      to: PERSON,
      text: { body: 'Hi' },
      biz_opaque_callback_data: opaque,
    }),
  })
  return ((await response.json()) as Json).messages[0].id
}

t.test('the journal holds every accepted message, even after kill -9', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'simulator-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const journal = join(directory, 'accepted.jsonl')
  const { child, url } = await start({ numbers: [NUMBER], journal })
  const ids = [await send(url, 'a'), await send(url, 'b')]
  child.kill('SIGKILL')
  await once(child, 'exit')
  const lines = readFileSync(journal, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.same(
    lines.map(({ id }) => id),
    ids,
  )
  t.match(lines[0], {
    sequence: 1,
    channel: 'whatsapp',
    recipient: PERSON,
    opaque_data: 'a',
    body: { text: { body: 'Hi' } },
  })
})

t.test('the simulator ends with SIGTERM and with its parent', async (t) => {
  const [first, second] = await Promise.all([start({ numbers: [NUMBER] }), start({ numbers: [] })])
  first.child.kill('SIGTERM')
  t.same(await once(first.child, 'exit'), [0, null])
  second.child.stdin!.end()
  t.same(await once(second.child, 'exit'), [0, null])
})

t.test('the simulator tells why it cannot start', async (t) => {
  const child = spawn(process.execPath, ['http/simulator/main.ts', '{"numbers":[{"phone_number_id":"1"}]}'], {
    stdio: 'pipe',
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  t.equal(code, 1)
  t.match(stderr, /cannot start: display_phone_number is missing/)
})
