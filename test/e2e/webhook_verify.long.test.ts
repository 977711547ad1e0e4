/** The verification of real deliveries by receivers: with stock libraries, and with the code of docs/webhooks.md. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import t from 'tap'
import { signatureHeaders } from '../../actors/webhook/signature.ts'
import { readConfig } from '../../http/app/settings/mod.ts'
import { anchorsOf, blocksOf, linksOf } from '../docs/markdown.ts'
import { Shell } from '../docs/shell.ts'
import { checkVerifiers } from '../docs/verifiers.ts'
import { tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'
import { eventually } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'

const file = join(root, 'docs/webhooks.md')
const page = readFileSync(file, 'utf8')
const code = (language: string) => blocksOf(page).find((block) => block.language === language)!.code

t.test('a delivery is verified by the libraries of Standard Webhooks and by the code of the page', async (t) => {
  const world = await startWorld(t)
  const tenant = await makeTenant(world)
  const { secret } = await tenant.subscribe('verified', ['whatsapp.message.received'])
  await tenant.writes('+15557300001', 'Ñandú 👍 “quoted”\n')
  const call = await eventually('the delivery', () => world.sink.calls('verified')[0])
  const { headers, raw, body } = call

  for (const Webhook of [StandardWebhook, SvixWebhook]) {
    const name = Webhook === SvixWebhook ? 'svix' : 'standardwebhooks'
    const verify = (raw: string, changes: Record<string, string> = {}, key = secret) =>
      new Webhook(key).verify(raw, { ...headers, ...changes })
    t.doesNotThrow(() => verify(raw), name)
    t.throws(() => verify(raw.replace('evt_', 'evt-')), `${name}: a changed body`)
    t.throws(() => verify(raw, {}, `whsec_${Buffer.alloc(32).toString('base64')}`), `${name}: another secret`)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    t.throws(() => verify(raw, { 'webhook-timestamp': later }), `${name}: another time`)
    t.throws(() => verify(raw, { 'webhook-id': 'evt_66f2a0c1d4e5f60718293a4b' }), `${name}: another event`)
    const old = signatureHeaders(secret, body.id, Math.floor(Date.now() / 1000) - 301, raw)
    t.throws(() => verify(raw, old), /too old/, `${name}: five minutes old`)
  }

  const sources = { ts: code('ts'), python: code('python'), bash: code('bash'), js: code('js') }
  for (const [language, source] of Object.entries(sources)) t.ok(source.trim().split('\n').length <= 11, language)
  await checkVerifiers(t, new Shell(tempDir(t)), { sources, delivery: { headers, body: raw, secret } })
})

t.test('the page shows the real envelope, and its links lead somewhere', (t) => {
  t.strictSame(Object.keys(JSON.parse(code('json'))), ['id', 'type', 'created_at', 'project_id', 'data'])
  t.strictSame(readConfig({}).webhook_schedule, [0, 5, 300, 1800, 7200], 'the pauses that the page names')
  for (const link of linksOf(page).filter((link) => !link.includes('://'))) {
    const [path = '', anchor] = link.split('#')
    const target = join(dirname(file), path)
    t.ok(existsSync(target), link)
    if (anchor) t.ok(anchorsOf(readFileSync(path ? target : file, 'utf8')).includes(anchor), link)
  }
  t.end()
})
