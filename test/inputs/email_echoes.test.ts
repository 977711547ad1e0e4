/** Mails of the channel's own address, as mail programs and services write them: whom they are to, or who wrote them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { run } from '../cli/command.ts'
import type { Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'

const SECRET = 'the secret of the inbound hook'
const OWN = 'support@echo.example'
const world = await joinWorld(t)
const tenant = await makeTenant(world)
const channel = await made(
  world.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'email',
    provider: 'cloud',
    name: 'Support',
    credentials: { smtp_url: 'smtp://u:p@127.0.0.1:1', from: `Support <${OWN}>`, inbound_secret: SECRET },
  }),
)
const secret_file = join(tempDir(t), 'secret')
writeFileSync(secret_file, SECRET)
const args = ['email', 'deliver', '--hook', `${world.base_url}${channel.webhook_path}`, '--secret-file', secret_file]

type Expected = { to: string; name?: string | null } | { from: string }

const rows: [rule: string, head: string, expected: Expected][] = [
  [
    'Gmail, by the account of the agent',
    `Return-Path: <eve@gmail.com>\nFrom: Support <${OWN}>\nTo: Ana <a1@echo.example>`,
    { to: 'a1@echo.example', name: 'Ana' },
  ],
  [
    'Outlook, on behalf of the address',
    `Return-Path: <eve@echo.example>\nSender: Eve <eve@echo.example>\nFrom: Support <${OWN}>\nTo: "a2@echo.example" <a2@echo.example>`,
    { to: 'a2@echo.example' },
  ],
  [
    'the copy of a forwarding service',
    `Return-Path: <SRS0=aB1c=XY=echo.example=support@mail.example>\nFrom: ${OWN}\nTo: a3@echo.example\nCc: ${OWN}`,
    { to: 'a3@echo.example', name: null },
  ],
  [
    'a comma in an encoded name',
    `From: ${OWN}\nTo: =?utf-8?Q?M=C3=BCller=2C_Ana?= <a4@echo.example>`,
    { to: 'a4@echo.example', name: 'Müller, Ana' },
  ],
  [
    'a quoted name with a comma and an address',
    `From: ${OWN}\nTo: "Ruiz, Ana (ana@old.example)" <a5@echo.example>, bo@echo.example`,
    { to: 'a5@echo.example', name: 'Ruiz, Ana (ana@old.example)' },
  ],
  ['a group', `From: ${OWN}\nTo: Customers: Ana <a6@echo.example>, bo@echo.example;`, { to: 'a6@echo.example' }],
  [
    'a comment as the name',
    `From: ${OWN}\nTo: a7@echo.example (Ana Ruiz)`,
    { to: 'a7@echo.example', name: 'Ana Ruiz' },
  ],
  [
    'a list that kept the author, with a copy to somebody',
    `Sender: ${OWN}\nX-Original-Sender: a8@echo.example\nFrom: 'Ana' via Support <${OWN}>\nTo: ${OWN}\nCc: bo@echo.example`,
    { from: 'a8@echo.example' },
  ],
  [
    'a form whose visitor is the sender alone',
    `Return-Path: <a9@echo.example>\nFrom: Site <${OWN}>\nTo: ${OWN}`,
    { from: 'a9@echo.example' },
  ],
]

t.test('the command brings each of them', async (t) => {
  for (const [index, [rule, head]] of rows.entries()) {
    const mail = `${head}\nMessage-ID: <e${index}@mail.example>\n\nHello\n`.replaceAll('\n', '\r\n')
    t.match(await run(args, {}, Buffer.from(mail)), { code: 0, err: '' }, rule)
  }
})

t.test('the business wrote what its address wrote to others', async (t) => {
  const page = await tenant.api('GET', 'messages?channel=email&limit=200')
  const messages = new Map(page.body.data.map((one: Json) => [one.provider_message_id, one] as const))
  const { data } = (await tenant.api('GET', 'contacts?limit=200')).body
  const names = new Map(data.map(({ user_id, name }: Json) => [user_id, name] as const))
  for (const [index, [rule, , expected]] of rows.entries()) {
    const message = messages.get(`<e${index}@mail.example>`)
    if ('from' in expected) t.match(message, { direction: 'inbound', from: expected.from }, rule)
    else {
      t.match(message, { direction: 'outbound', origin: 'mail', to: expected.to }, rule)
      if (expected.name !== undefined) t.equal(names.get(expected.to), expected.name, `the name: ${rule}`)
    }
  }
})
