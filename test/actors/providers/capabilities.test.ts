import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { messageTypes } from '../../../actors/mod.ts'
import { type Carrier, capabilities } from '../../../actors/providers/mod.ts'

t.test('docs/messaging.md shows the capabilities of the code', (t) => {
  const page = new URL('../../../docs/messaging.md', import.meta.url)
  const written = readFileSync(page, 'utf8')
  const carriers = (Object.keys(capabilities) as Carrier[]).filter((one) => Object.keys(capabilities[one]).length > 0)
  const rows = messageTypes.map((type) => [type, ...carriers.map((carrier) => capabilities[carrier][type] ?? '')])
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const table = [line(['type', ...carriers]), line(['---', ...carriers.map(() => '---')]), ...rows.map(line)].join('\n')
  const right = written.replace(
    /<!-- capabilities -->\n[\s\S]*?<!-- \/capabilities -->/,
    `<!-- capabilities -->\n${table}\n<!-- /capabilities -->`,
  )
  if (process.env.TAP_SNAPSHOT === '1') writeFileSync(page, right)
  else t.equal(written, right, 'run `TAP_SNAPSHOT=1 npm test -- test/actors/providers/capabilities.test.ts`')
  t.end()
})

t.test('some types go over WhatsApp alone', (t) => {
  for (const [carrier, types] of Object.entries(capabilities)) {
    for (const type of ['location', 'contacts', 'template', 'catalog', 'flow'] as const) {
      if (type in types) t.match(carrier, /^whatsapp/, `${type} on ${carrier}`)
    }
  }
  t.notOk('template' in capabilities.whatsapp_qr, 'no templates where a phone was paired by QR code')
  t.same(Object.keys(capabilities.whatsapp), messageTypes, 'the Cloud API carries all of them')
  t.end()
})
