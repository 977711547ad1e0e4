/** `parley init` against the simulator of WhatsApp: the questions, the checks, and the first message. */
import t from 'tap'
import { type Finished, run, runDialogue, start } from '../cli/command.ts'
import { type Json, sleep } from './client.ts'
import { made, OPERATOR_KEY, startWorld } from './fixture.ts'

const world = await startWorld(t)
const { operator, control } = world
const PERSON = '+15557770001'
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
const server = ['--api-base-url', world.simulator_url, '--public-url', world.base_url]

let numbers = 0

async function newNumber(): Promise<Json> {
  const n = ++numbers
  const account = {
    phone_number_id: String(106540352100000 + n),
    business_account_id: String(102290129100000 + n),
    access_token: `EAAtoken-init-${n}`,
    app_secret: `secret of the app ${n}`,
    verify_token: 'unused',
  }
  await made(control('PUT', 'numbers', { ...account, display_phone_number: `+1 555-784-100${n}` }))
  return account
}

const valuesOf = ({ phone_number_id, business_account_id, access_token, app_secret }: Json): string[] => [
  phone_number_id,
  business_account_id,
  access_token,
  app_secret,
]

/** Lets a person write until the command has ended. */
async function whileWriting({ phone_number_id }: Json, command: Promise<Finished>): Promise<Finished> {
  let is_over = false
  const ended = command.finally(() => (is_over = true))
  while (!is_over) {
    await control('POST', 'inbound', {
      channel: 'whatsapp',
      from: PERSON,
      message: { type: 'text', text: { body: 'Hi' } },
      phone_number_id,
    })
    await Promise.race([ended.catch(() => {}), sleep(200)])
  }
  return ended
}

t.test('a new operator is led from nothing to a number that answers', async (t) => {
  const number = await newNumber()
  const wrong = { ...number, access_token: 'EAAwrong' }
  const answers = [
    ...['Acme', '', ...valuesOf(wrong), 'y'],
    ...['x', ...valuesOf(number)],
    ...['Ana Ruiz', 'ana', 'ana@acme.example'],
  ]
  const command = runDialogue(['init', ...server], env, answers)
  const { code, out, err } = await whileWriting(number, command)
  t.equal(code, 0, err)
  for (const line of [
    'answers, with one node.',
    'The company “Acme” has the project “Main”',
    'Meta does not accept the number:',
    'Type the id: digits alone, not the phone number.',
    /Meta accepts the number\. The channel is \w{24}, with [1-9]\d* templates\./,
    'and sends its webhooks there.',
    'Type an address such as ana@example.com.',
    'Write to +1 555-784-1001 on WhatsApp now',
    `${PERSON} wrote “Hi”.`,
    'The answer was sent (msg_',
    'The number works in both directions.',
  ]) {
    t.match(err, line)
  }
  for (const secret of [number.access_token, number.app_secret, wrong.access_token]) t.notMatch(err, secret)
  const { project, channel, token } = Object.fromEntries(
    out
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
  )
  const me = await made(world.http('GET', `${world.base_url}/v1/me`, { token }))
  t.match(me, { project: { id: project, name: 'Main' }, company: { name: 'Acme' }, user: { full_name: 'Ana Ruiz' } })
  t.match(await made(operator('GET', `channels/${channel}`)), { status: 'connected', provider: 'cloud' })
  const sent = (await made(control('GET', `sent?phone_number_id=${number.phone_number_id}&limit=10`))).data
  t.equal(sent.length, 1)
})

t.test('without a terminal, options say all of it', async (t) => {
  const number = await newNumber()
  const [phone_number_id, business_account_id, access_token, app_secret] = valuesOf(number)
  const secrets = { WHATSAPP_ACCESS_TOKEN: access_token!, WHATSAPP_APP_SECRET: app_secret! }
  const ids = ['--phone-number-id', phone_number_id!, '--business-account-id', business_account_id!]
  const owner = ['--owner', 'Eva', '--owner-email', 'eva@acme.example']
  const place = ['--company-name', 'Second', '--project-name', 'Shop']
  const all = ['init', ...server, ...ids, ...owner, '--verify-token', 'word', '--json']
  const missing = await run([...all, ...place], env)
  t.match(missing, { code: 2, out: '', err: /--access-token is missing: access token/ })
  const first = await whileWriting(number, run([...all, ...place], { ...env, ...secrets }))
  t.equal(first.code, 0, first.err)
  const result = JSON.parse(first.out)
  t.match(result, { verify_token: 'word', is_webhook_set: true, first_message: { from: PERSON, answer_id: /^msg_/ } })
  t.equal(result.webhook_url, `${world.base_url}/providers/whatsapp/${result.channel_id}`)

  const again = await run([...all, '--project', result.project_id, '--no-wait'], { ...env, ...secrets })
  t.equal(again.code, 0, again.err)
  const { channel_id, first_message } = JSON.parse(again.out)
  t.same([channel_id, first_message], [result.channel_id, null], 'the same number is the same channel')
  t.equal((await made(operator('GET', `channels?project_id=${result.project_id}`))).total, 1)
})

t.test('Ctrl-C ends the wait, and the token is shown', async (t) => {
  const number = await newNumber()
  const [phone_number_id, business_account_id, access_token, app_secret] = valuesOf(number)
  const { _id } = (await made(operator('GET', 'projects?limit=1'))).data[0]
  const secrets = { WHATSAPP_ACCESS_TOKEN: access_token!, WHATSAPP_APP_SECRET: app_secret! }
  const ids = ['--phone-number-id', phone_number_id!, '--business-account-id', business_account_id!]
  const waiting = start(t, ['init', ...server, ...ids, '--project', _id], { env: { ...env, ...secrets } })
  await waiting.until(/Write to /, 'err')
  const { code, out, err } = await waiting.end('SIGINT')
  t.equal(code, 1)
  t.match(out, /^token +svc_pk_\w+$/m)
  t.match(err, /The wait was ended\.\n$/)
})

t.test('what goes wrong is said, and what to do', async (t) => {
  const number = await newNumber()
  const [phone_number_id, business_account_id, access_token, app_secret] = valuesOf(number)
  const ids = ['--phone-number-id', phone_number_id!, '--business-account-id', business_account_id!]
  const place = [
    '--company-name',
    'Third',
    '--project-name',
    'Shop',
    '--owner',
    'Eva',
    '--owner-email',
    'e@acme.example',
  ]
  const secrets = { WHATSAPP_ACCESS_TOKEN: access_token!, WHATSAPP_APP_SECRET: app_secret! }
  const init = (options: string[], more: Record<string, string> = {}) =>
    run(['init', ...ids, ...place, '--no-wait', ...options], { ...env, ...secrets, ...more })
  const http = await init([])
  t.match(http, { code: 2, err: /--public-url is missing: address at which Meta reaches Parley/ })
  t.match(await init(['--public-url', 'http://parley.example.com']), {
    code: 2,
    err: /Meta calls https addresses alone/,
  })
  const refused = await init(server, { WHATSAPP_ACCESS_TOKEN: 'EAAwrong' })
  t.match(refused, { code: 1, out: '', err: /Meta does not accept the number: .+\n$/ })
  const nowhere = ['--api-base-url', world.simulator_url, '--public-url', 'http://127.0.0.1:1']
  const unreachable = await init(nowhere)
  t.match(unreachable, { code: 0, err: /The webhook could not be set\. Meta refuses \(400\): .*/ })
  t.match(unreachable.err, /Callback URL +http:\/\/127\.0\.0\.1:1\/providers\/whatsapp\/\w{24}\n.*Verify token +\w+\n/)
  const chosen = await runDialogue(['init', ...server, '--no-wait', ...ids], { ...env, ...secrets }, ['1'])
  t.match(chosen, { code: 0, err: /^1 +\w{24} {2}Shop$/m })
  const closed = await runDialogue(['init', ...server], env, [])
  t.match(closed, { code: 1, err: /Ended before the channel was connected\.\n$/ })
})
