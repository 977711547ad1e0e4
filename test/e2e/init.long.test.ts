/** `parley init` against the simulator of WhatsApp: the questions, the checks, repeated runs, and the first message. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type Finished, run, runDialogue, start } from '../cli/command.ts'
import { tempDir } from '../support/mod.ts'
import { type Json, sleep } from './client.ts'
import { made, OPERATOR_KEY, startWorld } from './fixture.ts'

// A node to itself, because the lists of the command show the projects of all tenants.
const world = await startWorld(t)
const { operator, control } = world
const PERSON = '+15557770001'
const CUSTOMER = '+15557770002'
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
const server = ['--api-base-url', world.simulator_url, '--public-url', world.base_url]

let numbers = 0

async function newNumber(fields: Json = {}): Promise<Json> {
  const n = ++numbers
  const account = {
    phone_number_id: String(106540352100000 + n),
    business_account_id: String(102290129100000 + n),
    access_token: `EAAtoken-init-${n}`,
    app_secret: `secretoftheapp${n}`,
    verify_token: 'unused',
    ...fields,
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
const idsOf = ({ phone_number_id, business_account_id }: Json) => [
  '--phone-number-id',
  phone_number_id,
  '--business-account-id',
  business_account_id,
]
const secretsOf = ({ access_token, app_secret }: Json) => ({
  WHATSAPP_ACCESS_TOKEN: access_token,
  WHATSAPP_APP_SECRET: app_secret,
})
const place = (company: string) => {
  const owner = ['--owner', 'Eva', '--owner-email', `eva@${company.toLowerCase()}.example`]
  return ['--company-name', company, '--project-name', 'Shop', ...owner]
}

const write = ({ phone_number_id }: Json, from: string, body: string) =>
  control('POST', 'inbound', { channel: 'whatsapp', from, message: { type: 'text', text: { body } }, phone_number_id })

/** Lets a customer write before and after the message that the command asks for. */
async function whileWriting(number: Json, said: { err: string }, command: Promise<Finished>): Promise<Finished> {
  let is_over = false
  const ended = command.finally(() => (is_over = true))
  while (!is_over) {
    const word = /Write “(.+?)”/.exec(said.err)?.[1]
    await write(number, CUSTOMER, 'Where is my order?')
    if (word) await write(number, PERSON, `${word[0]!.toUpperCase()}${word.slice(1)}.`)
    await Promise.race([ended.catch(() => {}), sleep(200)])
  }
  return ended
}

const count = async (path: string): Promise<number> => (await made(operator('GET', path))).total
const tokensOf = async (project_id: string): Promise<Json[]> =>
  (await made(operator('GET', `tokens?project_id=${project_id}`))).data

t.test('a new operator is led from nothing to a number that answers', async (t) => {
  const number = await newNumber()
  const [phone, business, access_token, app_secret] = valuesOf(number)
  const answers = [
    ...['Acme', '', 'Ana Ruiz', 'ana', 'ana@acme.example'],
    ...[phone!, business!, 'EAAwrong', app_secret!, 'y'],
    ...[phone!, business!, access_token!, 'anothersecret', ''],
    ...['x', phone!, business!, access_token!, app_secret!],
  ]
  const said = { out: '', err: '' }
  const { code, out, err } = await whileWriting(number, said, runDialogue(['init', ...server], env, answers, said))
  t.equal(code, 0, err)
  for (const line of [
    'answers, with one node.',
    'Type an address such as ana@example.com.',
    'Meta refuses (401): Invalid OAuth access token',
    'Meta refuses (400): Invalid appsecret_proof',
    'Type the id: digits alone, not the phone number.',
    'Access token (not shown): (15 characters)',
    /Name of your company: .*Acme\r\n/,
    'Meta knows the number +1 555-784-1001, and accepts the token and the app secret.',
    'The company “Acme” has the project “Main”',
    /The channel is \w{24}, with [1-9]\d* templates of the number\./,
    'and sends the messages of the number there.',
    /Enter this one in the dashboard.*\n {2}Callback URL +http:.*\n {2}Verify token +\w{24}\n/,
    /Write “parley \d{4}” to \+1 555-784-1001 on WhatsApp now/,
    `${PERSON} wrote it.`,
    'The answer was sent (msg_',
    'The number works in both directions.',
  ]) {
    t.match(err, line)
  }
  for (const secret of [access_token!, app_secret!, 'EAAwrong', 'anothersecret']) t.notMatch(err, secret)
  const { project, channel, token } = Object.fromEntries(
    out
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
  )
  const me = await made(world.http('GET', `${world.base_url}/v1/me`, { token }))
  t.match(me, { project: { id: project, name: 'Main' }, company: { name: 'Acme' }, user: { full_name: 'Ana Ruiz' } })
  t.match(await made(operator('GET', `channels/${channel}`)), { status: 'connected', provider: 'cloud' })
  const sent = (await made(control('GET', `sent?phone_number_id=${phone}&limit=10`))).data
  t.match(sent, [{ recipient: PERSON.slice(1) }])
  t.equal(sent.length, 1, 'customers get no answer')
})

t.test('without a terminal, options say all of it, and a repeated run changes nothing', async (t) => {
  const number = await newNumber()
  const directory = tempDir(t)
  const [token_file, secret_file] = [join(directory, 'token'), join(directory, 'secret')]
  writeFileSync(token_file, `${number.access_token}\n`)
  writeFileSync(secret_file, `${number.app_secret}\n`)
  const all = ['init', ...server, ...place('Second'), '--json']
  const companies = await count('companies')
  const missing = await run(all, env)
  t.match(missing, { code: 2, out: '', err: /--phone-number-id, .* and --app-secret-file \(or .*\) are missing\.\n$/ })
  const unread = await run([...all, ...idsOf(number), '--access-token-file', directory], env)
  t.match(unread, { code: 2, out: '', err: /cannot be read \(EISDIR\)\.\n$/ })
  t.equal(await count('companies'), companies, 'nothing is made before all is known')

  const given = [...all, ...idsOf(number), '--access-token-file', token_file, '--app-secret-file', secret_file]
  const said = { out: '', err: '' }
  const first = await whileWriting(number, said, run(given, env, undefined, said))
  t.equal(first.code, 0, first.err)
  const result = JSON.parse(first.out)
  t.match(result, {
    verify_token: /^\w{24}$/,
    token: /^svc_pk_/,
    token_id: /^\w{24}$/,
    is_webhook_set: true,
    first_message: { from: PERSON, answer_id: /^msg_/ },
  })
  t.equal(result.webhook_url, `${world.base_url}/providers/whatsapp/${result.channel_id}`)

  const told = { out: '', err: '' }
  const again = await whileWriting(number, told, run(given, env, undefined, told))
  t.equal(again.code, 0, again.err)
  const repeated = JSON.parse(again.out)
  t.strictSame(repeated, { ...result, token: null, first_message: repeated.first_message })
  t.match(again.err, /sends the messages of the number to .* already\.\n/)
  t.match(again.err, /It stays as it is: the token “parley init” \(svc_pk_/)
  t.equal(await count('companies'), companies + 1)
  t.equal(await count(`channels?project_id=${result.project_id}`), 1)
  const sent = (await made(control('GET', `sent?phone_number_id=${number.phone_number_id}&limit=10`))).data
  t.same(
    sent.map(({ recipient }: Json) => recipient),
    [PERSON.slice(1), PERSON.slice(1)],
  )
  const active = async () => (await tokensOf(result.project_id)).filter(({ status }) => status === 'active')
  t.same(
    (await active()).map(({ _id }) => _id),
    [result.token_id],
    'the token of the live check has ended',
  )

  const renewed = await run([...given, '--no-wait', '--new-token'], env)
  const { token, token_id } = JSON.parse(renewed.out)
  t.match(token, /^svc_pk_/)
  t.same(
    (await active()).map(({ _id }) => _id),
    [token_id],
  )

  await made(operator('PATCH', `channels/${result.channel_id}`, { credentials: { verify_token: 'chosen' } }))
  const kept = JSON.parse((await run([...given, '--no-wait'], env)).out)
  t.match(kept, { verify_token: null, is_webhook_set: true })
  const question = 'hub.mode=subscribe&hub.verify_token=chosen&hub.challenge=7'
  t.match(await world.http('GET', `${result.webhook_url}?${question}`), { status: 200, text: '7' })

  const elsewhere = await run([...given, ...place('Third')], env)
  t.match(elsewhere, {
    code: 1,
    out: '',
    err: `is the channel ${result.channel_id} of the project ${result.project_id}`,
  })
  t.equal(await count('companies'), companies + 1)
})

t.test('a second number of an account takes nothing from the first', async (t) => {
  const first = await newNumber()
  const second = await newNumber({ business_account_id: first.business_account_id })
  const connect = async (number: Json) => {
    const args = ['init', ...server, ...idsOf(number), ...place('Twins'), '--no-wait', '--json']
    const { code, out, err } = await run(args, { ...env, ...secretsOf(number) })
    t.equal(code, 0, err)
    return { ...JSON.parse(out), err }
  }
  const one = await connect(first)
  const other = await connect(second)
  t.not(one.channel_id, other.channel_id)
  t.match((await connect(first)).err, 'already.', 'the webhook of the first is as it was')
})

t.test('a secret that is pasted before its question is not shown', async (t) => {
  const number = await newNumber()
  const { err } = await runDialogue(['init', ...server, '--no-wait', ...place('Pasted')], env, [
    valuesOf(number).join('\n'),
  ])
  t.match(err, 'and accepts the token and the app secret.')
  for (const secret of [number.access_token, number.app_secret]) t.notMatch(err, secret)
  const refused = await runDialogue(['init', ...server, ...place('Pasted')], env, [
    ['not an id', ...valuesOf(number)].join('\n'),
  ])
  t.match(refused, { code: 1, err: /Ended\.\n$/ })
  t.notMatch(refused.err, number.business_account_id, 'answers do not move to other questions')
})

t.test('Ctrl-C ends the wait, and the token is shown', async (t) => {
  const number = await newNumber()
  const args = ['init', ...server, ...idsOf(number), ...place('Fourth')]
  const waiting = start(t, args, { env: { ...env, ...secretsOf(number) } })
  await waiting.until(/Write /, 'err')
  const { code, out, err } = await waiting.end('SIGINT')
  t.equal(code, 1)
  t.match(out, /^token +svc_pk_\w+$/m)
  t.match(err, /The wait was ended\.\n$/)
})

t.test('Ctrl-C at a question ends the command, which can be run again', async (t) => {
  const number = await newNumber()
  const answers = ['new', 'Fifth', 'Shop', 'Eva', 'five@acme.example', ...valuesOf(number)]
  for (let steps = 0; steps < answers.length; steps++) {
    const { code, out, err } = await runDialogue(['init', ...server], env, [...answers.slice(0, steps), '\x03'])
    t.match({ code, out }, { code: 1, out: '' }, err)
    t.match(err, /\nEnded\.\n$/)
  }
  const companies: Json[] = (await made(operator('GET', 'companies?limit=200'))).data
  t.notOk(companies.some(({ name }) => name === 'Fifth'))
})

t.test('what goes wrong is said, and what to do', async (t) => {
  const number = await newNumber()
  const secrets = secretsOf(number)
  const init = (options: string[], more: Record<string, string> = {}) =>
    run(['init', ...idsOf(number), ...place('Sixth'), '--no-wait', ...options], {
      ...env,
      ...secrets,
      ...more,
    })
  const http = await init([])
  t.match(http, { code: 2, err: /--public-url is missing: address at which Meta reaches Parley/ })
  t.match(await init(['--public-url', 'http://parley.example.com']), {
    code: 2,
    err: /Meta calls https addresses alone/,
  })
  t.match(await init([...server, '--phone-number-id', '+1555']), { code: 2, err: /--phone-number-id is not right: / })
  const refused = await init(server, { WHATSAPP_ACCESS_TOKEN: 'EAAwrong' })
  t.match(refused, { code: 1, out: '', err: /Meta refuses \(401\): .+\n$/ })
  t.match(await init(server, { PARLEY_OPERATOR_KEY: 'wrong' }), { code: 1, err: /refuses the operator key/ })
  t.match(await init([...server, '--owner-email', 'ana@acme.example']), {
    code: 1,
    err: /already a user with this e-mail/,
  })
  const silent = await init(['--public-url', world.base_url, '--api-base-url', 'http://127.0.0.1:1'])
  t.match(silent, {
    code: 1,
    out: '',
    err: /Meta cannot be reached from this machine \(bad port\)\..*The server's check at Meta fails: .*with the channel .*goes on\.\n$/s,
  })
  const nowhere = ['--api-base-url', world.simulator_url, '--public-url', 'http://127.0.0.1:1']
  const unreachable = await init(nowhere)
  t.match(unreachable, { code: 0, err: /The webhook could not be set\. Meta refuses \(400\): .*/ })
  t.match(unreachable.err, /Callback URL +http:\/\/127\.0\.0\.1:1\/providers\/whatsapp\/\w{24}\n.*Verify token +\w+\n/)
  const chosen = await runDialogue(['init', ...server, '--no-wait', ...idsOf(number)], { ...env, ...secrets }, [
    '1',
    'n',
  ])
  t.match(chosen, { code: 0, err: /^1 +\w{24} {2}Shop$/m })
  const closed = await runDialogue(['init', ...server], env, [])
  t.match(closed, { code: 1, err: /Ended\.\n$/ })
  t.match(await run(['init'], { ...env, PARLEY_BASE_URL: 'http://127.0.0.1:1' }), { code: 1, err: /Nobody answers at/ })
})
