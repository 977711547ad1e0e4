/** The verdict of a mail system on the sender, and what becomes of mails in the channel's own name. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseMail } from '../../http/cli/email/parse_mail.ts'
import { run } from '../cli/command.ts'
import type { Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'

const OWN = 'support@echo.example'
const US = 'mx.echo.example'

/** The fields as servers write them, from the top of the mail. */
const rows: [rule: string, fields: string[], verdict: 'pass' | 'fail' | undefined][] = [
  ['DMARC that passed', [`${US}; dmarc=pass (p=REJECT) header.from=echo.example`], 'pass'],
  [
    'Gmail, with comments and policies',
    [
      `${US};\r\n       dkim=pass header.i=@echo.example header.s=s1 header.b=Xy;\r\n       spf=pass (google.com: domain of eve@echo.example designates 192.0.2.1 as permitted sender) smtp.mailfrom=eve@echo.example;\r\n       dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=echo.example`,
    ],
    'pass',
  ],
  ['a version behind the name', [`${US} 1; dkim=pass header.d=echo.example`], 'pass'],
  ['the name in other letters', ['MX.Echo.Example; dkim=pass header.d=ECHO.example'], 'pass'],
  ['a signature of a domain below', [`${US}; dkim=pass header.d=mail.echo.example`], 'pass'],
  ['a signature of another domain', [`${US}; dkim=pass header.d=stranger.example`], undefined],
  ['a domain that only ends alike', [`${US}; dkim=pass header.d=notecho.example`], undefined],
  ['a top-level domain', [`${US}; dkim=pass header.d=example`], undefined],
  ['an envelope of the domain', [`${US}; spf=pass smtp.mailfrom=bounce@echo.example`], 'pass'],
  ['an account of the domain', [`${US}; auth=pass (plain) smtp.auth=eve@echo.example`], 'pass'],
  [
    'DMARC that failed beside a signature',
    [`${US}; dkim=pass header.d=echo.example; dmarc=fail header.from=echo.example`],
    'fail',
  ],
  ['DMARC that passed for another author', [`${US}; dmarc=pass header.from=stranger.example`], undefined],
  ['a domain without DMARC whose signature is broken', [`${US}; dkim=fail header.d=echo.example; dmarc=none`], 'fail'],
  ['a soft failure alone', [`${US}; spf=softfail smtp.mailfrom=echo.example`], 'fail'],
  ['no verdict', [`${US}; none`], undefined],
  ['nothing at all', [], undefined],
  ['a field that came with the mail', ['mx.stranger.example; dmarc=pass header.from=echo.example'], undefined],
  [
    'a field that came with the mail, below ours',
    [`${US}; dmarc=fail header.from=echo.example`, 'other.example; dmarc=pass'],
    'fail',
  ],
  ['our name within another one', [`x.${US}; dmarc=pass header.from=echo.example`], undefined],
  ['our name in quotes and words', [`"${US}; dmarc=pass"; dmarc=pass header.from=echo.example`], undefined],
  ['our name in a comment', [`stranger.example (${US}); dmarc=pass header.from=echo.example`], undefined],
  [
    'Yahoo, with a policy that touches the result',
    [`${US}; dkim=pass header.i=@echo.example header.s=s1; dmarc=pass(p=REJECT) header.from=echo.example;`],
    'pass',
  ],
  [
    'OpenDKIM, with a hash in quotes',
    [`${US};\r\n\tdkim=pass (2048-bit key; unprotected) header.d=echo.example header.s=s1 header.b="dw3/+a=="`],
    'pass',
  ],
  [
    'Proofpoint',
    [`${US}; spf=pass smtp.mailfrom=eve@echo.example; dkim=pass header.s=selector1 header.d=echo.example; dmarc=none`],
    'pass',
  ],
  [
    'Microsoft 365, which writes no name',
    [
      'spf=pass (sender IP is 192.0.2.1)\r\n smtp.mailfrom=echo.example; dkim=pass (signature was verified)\r\n header.d=echo.example;dmarc=pass action=none\r\n header.from=echo.example;compauth=pass reason=100',
    ],
    undefined,
  ],
  ['a record with too many look-ups', [`${US}; spf=permerror smtp.mailfrom=echo.example; dkim=none`], undefined],
  ['a signature that the system does not like', [`${US}; dkim=policy header.d=echo.example; spf=none`], undefined],
  [
    'a broken record of DMARC',
    [`${US}; dmarc=permerror header.from=echo.example; dkim=pass header.d=echo.example`],
    'pass',
  ],
  ['a failure as RFC 5451 has it', [`${US}; spf=hardfail smtp.mailfrom=eve@echo.example`], 'fail'],
  [
    'an envelope with dots in quotes',
    [`${US}; spf=pass smtp.mailfrom="kai..mori"@stranger.example; dkim=pass header.d=echo.example`],
    'pass',
  ],
  [
    'an envelope that ends a comment',
    [
      `${US}; spf=pass (domain of "x) smtp.mailfrom=a@echo.example y"@stranger.example designates 192.0.2.1) smtp.mailfrom="x) smtp.mailfrom=a@echo.example y"@stranger.example`,
    ],
    undefined,
  ],
  [
    'a reason with a semicolon',
    [`${US}; dkim=fail reason="a; dmarc=pass header.from=echo.example" header.d=x.example`],
    'fail',
  ],
  [
    'an envelope whose local part looks like a property',
    [`${US}; spf=pass smtp.mailfrom="x smtp.mailfrom=echo.example "@stranger.example`],
    undefined,
  ],
  [
    'an envelope whose local part looks like a result',
    [`${US}; spf=pass smtp.mailfrom="a\\"; dmarc=pass header.from=echo.example; x=\\""@stranger.example`],
    undefined,
  ],
  [
    'a signature whose identity looks like a domain',
    [`${US}; dkim=pass header.d=stranger.example header.i="a header.d=echo.example b"@stranger.example`],
    undefined,
  ],
  [
    'a reason with quotes in it',
    [`${US}; dkim=pass reason="a\\"; dmarc=pass; x=\\"b" header.d=stranger.example`],
    undefined,
  ],
  ['a local part with an at sign', [`${US}; spf=pass smtp.mailfrom="a@echo.example"@stranger.example`], undefined],
  ['an envelope in quotes as a whole', [`${US}; spf=pass smtp.mailfrom="a@echo.example"`], 'pass'],
  ['our name in quotes', [`"${US}"; dmarc=pass header.from=echo.example`], 'pass'],
  [
    'a failure behind quotes that do not close',
    [`${US}; spf=pass smtp.mailfrom="a@stranger.example; dmarc=fail header.from=echo.example`],
    'fail',
  ],
  [
    'a proof behind quotes that do not close',
    [`${US}; spf=none smtp.mailfrom="a@stranger.example; dmarc=pass header.from=echo.example`],
    undefined,
  ],
  [
    'several fields of ours',
    [`${US}; spf=fail smtp.mailfrom=x.example`, `${US}; dkim=pass header.d=echo.example`],
    'pass',
  ],
]

for (const [rule, fields, verdict] of rows) {
  t.test(`the verdict: ${rule}`, async (t) => {
    const head = fields.map((field) => `Authentication-Results: ${field}\r\n`).join('')
    const mail = Buffer.from(
      `${head}From: Support <${OWN}>\r\nTo: ana@echo.example\r\nMessage-ID: <a@b>\r\n\r\nHello\r\n`,
    )
    const read = await parseMail(mail, '<a@b>', US)
    t.equal('body' in read && read.body.authentication, verdict)
    const unnamed = await parseMail(mail)
    t.notOk('body' in unnamed && unnamed.body.authentication, 'without the name of our system nothing counts')
  })
}

for (const [rule, systems, verdict] of [
  ['several names', `mx1.echo.example, ${US}`, 'pass'],
  ['all names below a domain', '.echo.example', 'pass'],
  ['all names below another domain', '.cho.example', undefined],
  ['no name', ' , ', undefined],
] as const) {
  t.test(`systems whose machines have a name each: ${rule}`, async (t) => {
    const field = `${US}; dkim=pass header.d=echo.example`
    const mail = Buffer.from(`Authentication-Results: ${field}\r\nFrom: ${OWN}\r\n\r\nHello\r\n`)
    const read = await parseMail(mail, '<a@b>', systems)
    t.equal('body' in read && read.body.authentication, verdict)
  })
}

t.test('a verdict is found in linear time', async (t) => {
  const ends = [
    `${'('.repeat(100_000)}${'"'.repeat(99_999)}`,
    `"${'\\"'.repeat(300_000)}`,
    `"${'\\"'.repeat(300_000)}"`,
  ]
  for (const end of ends) {
    const long = `${US}; ${'dkim=fail header.d=x.example; '.repeat(10_000)}${end}`
    const mail = Buffer.from(`Authentication-Results: ${long}\r\nFrom: ${OWN}\r\n\r\nHello\r\n`)
    const before = process.cpuUsage()
    await parseMail(mail, '<a@b>', US)
    t.ok(process.cpuUsage(before).user < 5_000_000)
  }
})

const SECRET = 'the secret of the inbound hook'
const world = await joinWorld(t)
const secret_file = join(tempDir(t), 'secret')
writeFileSync(secret_file, SECRET)
let mails = 0

/** A mailbox, and the message that becomes of a mail in its name. */
async function connect(fields: Json = {}) {
  const tenant = await makeTenant(world)
  const credentials = { smtp_url: 'smtp://u:p@127.0.0.1:1', from: OWN, inbound_secret: SECRET, ...fields }
  const channel = { project_id: tenant.project_id, channel_type: 'email', provider: 'cloud', name: 'Support' }
  const { webhook_path } = await made(world.operator('POST', 'channels', { ...channel, credentials }))
  const args = ['email', 'deliver', '--hook', `${world.base_url}${webhook_path}`, '--secret-file', secret_file]
  return async (verdict: string) => {
    const id = `<v${process.pid}.${++mails}@mail.example>`
    const field = verdict === '' ? '' : `Authentication-Results: ${US}; ${verdict}\r\n`
    const mail = `${field}From: ${OWN}\r\nTo: ana@echo.example\r\nMessage-ID: ${id}\r\n\r\nPay here\r\n`
    t.match(await run([...args, '--authserv-id', US], {}, Buffer.from(mail)), { code: 0, err: '' })
    const { data } = (await tenant.api('GET', 'messages?channel=email')).body
    return data.find((one: Json) => one.provider_message_id === id) as Json
  }
}

const agents = { direction: 'outbound', origin: 'mail', to: 'ana@echo.example' }
const strangers = { direction: 'inbound', origin: null, message: { sender: { address: OWN } } }

t.test("a mail in the channel's name is an agent's, unless the mail system refutes it", async (t) => {
  const became = await connect()
  t.match(await became('dmarc=pass header.from=echo.example'), agents)
  t.match(await became(''), agents, 'of a system that says nothing')
  const forged = await became('dmarc=fail header.from=echo.example')
  t.match(forged, { ...strangers, message: { authentication: 'fail' } })
})

t.test('where the channel asks for a proof, silence is none', async (t) => {
  const became = await connect({ own_mail: 'proven' })
  t.match(await became('dkim=pass header.d=echo.example'), agents)
  const silent = await became('')
  t.match(silent, strangers)
  t.notOk('authentication' in silent.message, 'nothing was refuted')
  const wrong = await world.operator('POST', 'channels', {
    ...{ project_id: (await makeTenant(world)).project_id, channel_type: 'email', provider: 'cloud', name: 'Support' },
    credentials: { smtp_url: 'smtp://u:p@127.0.0.1:1', from: OWN, inbound_secret: SECRET, own_mail: 'maybe' },
  })
  t.equal(wrong.status, 400)
})
