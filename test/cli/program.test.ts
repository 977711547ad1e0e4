import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import t from 'tap'
import { configReference } from '../../http/app/settings/mod.ts'
import { buildProgram } from '../../http/cli/program.ts'
import { commandReference } from '../../http/cli/reference.ts'
import { startUp, tempDir } from '../support/mod.ts'
import { run } from './command.ts'

/** The lines that do not fit on a terminal. */
const tooLong = (text: string) => text.split('\n').filter(({ length }) => length > 80)

t.test('the manual lists the commands of the code', (t) => {
  const page = new URL('../../docs/cli.md', import.meta.url)
  const written = readFileSync(page, 'utf8')
  const [begin, end] = ['<!-- commands -->\n', '<!-- /commands -->\n']
  const right = `${written.split(begin)[0]}${begin}${commandReference(buildProgram())}${end}${written.split(end)[1]}`
  // tap sets TAP_SNAPSHOT to write the expected result instead of comparing it.
  if (process.env.TAP_SNAPSHOT === '1') writeFileSync(page, right)
  else t.equal(written, right, 'run `TAP_SNAPSHOT=1 npm test -- test/cli/program.test.ts` to write it again')
  t.end()
})

t.test('wrong usage ends with 2 and a sentence', async (t) => {
  const cases: [string[], RegExp][] = [
    [['foo'], /^Unknown command 'foo' \(`parley --help` lists them\)\.\n$/],
    [['tokn'], /^Unknown command 'tokn' \(did you mean token\?\)\.\n$/],
    [['token', 'creat'], /^Unknown command 'creat' \(did you mean create\?\)\.\n$/],
    [['token', 'list', '--jsn'], /^Unknown option '--jsn' \(did you mean --json\?\)\.\n$/],
    [['token', 'create', '--expires', 'tomorrow'], /^Option '--expires <when>' argument 'tomorrow' is invalid\. .*\n$/],
    [['token', 'create', '--expires', '2020-01-31'], /must be in the future\.\n$/],
    [['simulate', 'status', '--message', 'msg_1'], /^Required option '--status <status>' not specified\.\n$/],
    [['simulate', 'inbound', '--from', '+1555'], /^Say what they write with --text, --kind or --message\.\n$/],
    [
      ['simulate', 'inbound', '--from', '1', '--channel', 'tiktok', '--kind', 'location'],
      /^Nobody sends the kind “location” on tiktok; there are text, picture, video, sticker\.\n$/,
    ],
    [['simulate', 'inbound', '--from', '+1555', '--kind', 'reaction'], / is about with --about\.\n$/],
    [
      ['simulate', 'inbound', '--from', '+1555', '--kind', 'edit', '--about', 'msg_1'],
      / give its provider_message_id\.\n$/,
    ],
    [
      ['simulate', 'inbound', '--from', '+1555', '--text', 'Hi', '--reply-to', 'msg_1'],
      / give its provider_message_id\.\n$/,
    ],
    [['simulate', 'model'], /^Give one of --answer, --call, --fault, --calls and --clear\.\n$/],
    [['simulate', 'model', '--calls', '--clear'], /^Give one of --answer, /],
    [['simulate', 'model', '--answer', 'a', '--arguments', '{}'], /^--arguments needs --call\.\n$/],
    [['simulate', 'model', '--answer', 'a', '--delay', 'x'], /It must be a number of seconds\./],
    [['simulate', 'model', '--answer', 'a', '--times', '0'], /It must be a whole number from 1 on\./],
    [['simulate', 'template', '--name', 'a'], /^Give one of --status, --quality, --category and --next-category\.\n$/],
    [['webhooks', 'listen', '--port', '99999'], /must be a port, 1 to 65535\.\n$/],
    [['webhooks', 'recover', 'wh_1'], /^Required option '--since <time>' not specified\.\n$/],
    [['webhooks', 'recover', 'wh_1', '--since', 'today'], / is invalid\. Use 30m, 2h or 3d for how long ago, .*\n$/],
    [['webhooks', 'recover', 'wh_1', '--since', '1h', '--until', '2h'], /^--until must be later than --since\.\n$/],
    [['webhooks', 'deliveries', 'wh_1', '--limit', '0'], /must be a whole number from 1 to 10000\.\n$/],
    [['broadcast', 'send', '--csv', 'people.csv'], /^Required option '--template <name>' not specified\.\n$/],
    [
      ['broadcast', 'list', '--status', 'sent'],
      /Allowed choices are queued, sending, completed, failed, cancelled\.\n$/,
    ],
    [['token'], /^Usage: parley token /],
  ]
  const ends = await Promise.all(cases.map(([args]) => run(args)))
  for (const [index, [args, sentence]] of cases.entries()) {
    t.match(ends[index], { code: 2, out: '', err: sentence }, args.join(' '))
  }
})

t.test('help and version go to standard output', async (t) => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const [asked, help, of_one] = await Promise.all([
    run(['--version']),
    run(['--help']),
    run(['token', 'create', '--help']),
  ])
  t.strictSame(asked, { code: 0, out: `${version}\n`, err: '' })
  t.match(help, { code: 0, out: /webhooks +watch webhooks arrive/, err: '' })
  t.match(of_one.out, /\nExamples:\n {2}npx parley token create\n/)
  t.same(tooLong(`${help.out}${of_one.out}`), [])
})

t.test('help marks required options, and shows defaults as people write them', (t) => {
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
  const faults = leaves(buildProgram()).flatMap((command) => {
    const help = command.helpInformation()
    const words = help.replace(/\s+/g, ' ')
    const required = command.options.filter(({ mandatory }) => mandatory)
    const usage = `${[command.name(), ...required.map(({ flags }) => flags)].join(' ')} `
    const has = (option: string) => command.options.some(({ long }) => long === option)
    const prints_no_record = /^(serve|export|deliver|completion|complete)$/.test(command.name())
    const destroys = /^(delete|revoke|drop|erase|restore|purge|cancel)$/.test(command.name())
    const of_options = command.options.flatMap(({ flags, description, defaultValue, defaultValueDescription }) => {
      const is_plain = ['string', 'boolean', 'undefined'].includes(typeof defaultValue)
      return [
        !is_plain && !defaultValueDescription && `${flags} does not say its default in words`,
        defaultValue !== undefined && /\(default/.test(description) && `${flags} says its default twice`,
      ]
    })
    return [
      !words.includes(usage) && `its help has no “${usage}”`,
      words.split(' (required)').length - 1 !== required.length && 'marks other options than those that are required',
      !prints_no_record && !has('--json') && 'has no --json',
      destroys && !has('--yes') && 'does not ask, unless --yes is given',
      ...of_options,
    ]
      .filter((fault) => fault !== false)
      .map((fault) => `${command.name()}: ${fault}`)
  })
  t.same(faults, [])
  t.end()
})

t.test('a key on the command line brings a warning, and one of the environment does not', async (t) => {
  const gone = ['--base-url', 'http://127.0.0.1:1']
  const [operator, token, quiet] = await Promise.all([
    run(['token', 'list', ...gone, '--operator-key', 'x']),
    run(['webhooks', 'list', ...gone, '--token', 'x']),
    run(['webhooks', 'list', ...gone], { PARLEY_TOKEN: 'x' }),
  ])
  t.match(operator.err, /^Other users .* read --operator-key .*: set PARLEY_OPERATOR_KEY instead\.\nNobody answers/)
  t.match(token.err, /^Other users .* read --token .*: set PARLEY_TOKEN instead\.\nNobody answers/)
  t.match(quiet.err, /^Nobody answers/)
})

t.test('config reference shows every setting', async (t) => {
  const [text, markdown, json] = await Promise.all(
    [[], ['--markdown'], ['--json']].map((options) => run(['config', 'reference', ...options])),
  )
  t.equal(markdown?.out, `${configReference()}\n`)
  const settings: { variable: string; secret: boolean }[] = JSON.parse(json!.out)
  t.equal(settings.length, configReference().split('\n').length - 2)
  t.strictSame(
    settings.filter(({ secret }) => secret).map(({ variable }) => variable),
    [
      'PARLEY_BLOB_URL',
      'DATABASE_URL',
      'NATS_URL',
      'PARLEY_OPERATOR_KEY',
      'PARLEY_SECRET',
      'PARLEY_OUTBOUND_PROXY',
      'PARLEY_SMTP_URL',
      'PARLEY_MODELS',
      'PARLEY_ASSISTANTS_KEY',
    ],
  )
  const unnamed = settings.filter(({ variable }) => !`\n${text!.out}`.includes(`\n${variable}\n`))
  t.same(unnamed, [])
  t.same(tooLong(text!.out), [])
})

t.test('config check masks secrets and names faults', async (t) => {
  const env = {
    PARLEY_PORT: '9000',
    DATABASE_URL: 'postgres://parley:p@ssword@db,db2:5433/parley?sslmode=require&password=hush',
    NATS_URL: 'nats://verysecret@one:4222,nats://user:alsosecret@two:4222',
    PARLEY_SMTP_URL: 'smtp://parley:unspoken@mail.example.com:587',
    PARLEY_MAIL_FROM: 'Parley <parley@example.com>',
    PARLEY_BASE_URL: 'https://parley.example.com',
    PARLEY_OPERATOR_KEY: 'the operator of this key',
    PARLEY_SECRET: 'the secret of this Parley',
    PARLEY_TOKEN: 'svc_pk_for_the_command_line',
  }
  const [right, wrong, json] = await Promise.all([
    run(['config', 'check'], env),
    run(['config', 'check'], { PARLEY_PORT: 'x', PARLEY_HOTS: 'y' }),
    run(['config', 'check', '--json'], { PARLEY_PORT: 'x' }),
  ])
  t.match(right, { code: 0, err: '' })
  t.match(right.out, /^PARLEY_PORT +9000 +environment$/m)
  t.match(
    right.out,
    /^DATABASE_URL +postgres:\/\/parley:\*+@db,db2:5433\/parley\?sslmode=require&password=\*+ +environment$/m,
  )
  t.match(right.out, /^NATS_URL +nats:\/\/\*+@one:4222,nats:\/\/user:\*+@two:4222 /m)
  t.match(right.out, /^PARLEY_SMTP_URL +smtp:\/\/parley:\*+@mail\.example\.com:587 +environment$/m)
  t.match(right.out, /^PARLEY_OPERATOR_KEY +\*+ +environment$/m)
  t.match(right.out, /^PARLEY_LOG_LEVEL +info +default$/m)
  t.notMatch(right.out, /hush|word@|secret@|alsosecret|unspoken|of this/)
  t.match(wrong, { code: 1, out: '' })
  t.match(wrong.err, 'PARLEY_PORT must be a whole number from 1 to 65535, not "x".')
  t.match(wrong.err, 'did you mean PARLEY_HOST?')
  t.equal(json.code, 1)
  t.match(JSON.parse(json.out), { ok: false, problems: [/^PARLEY_PORT/] })
})

t.test('an output that cannot be written is a failure of one sentence', (t) => {
  const entry = new URL('../../http/cli/parley.ts', import.meta.url).pathname
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const { status, stderr } = spawnSync(process.execPath, [entry, 'config', 'reference', '--json'], {
    stdio: ['ignore', full, 'pipe'],
    env: { PATH: process.env.PATH, NO_COLOR: '1', ...startUp() },
    encoding: 'utf8',
  })
  t.match({ status, stderr }, { status: 1, stderr: /^Standard output cannot be written: ENOSPC.*\.\n$/ })
  t.end()
})

t.test('the command of npx runs from anywhere, through links, under the packages’ Node.js', (t) => {
  const directory = tempDir(t)
  const link = join(directory, 'parley')
  symlinkSync(new URL('../../http/cli/parley.sh', import.meta.url).pathname, link)
  // A Node.js that is too old, first on the PATH.
  const PATH = `${directory}:/usr/bin:/bin`
  symlinkSync('/bin/false', join(directory, 'node'))
  const { status, stdout, stderr } = spawnSync(link, ['tokn'], {
    cwd: directory,
    env: { PATH, ...startUp() },
    encoding: 'utf8',
  })
  t.strictSame(
    { status, stdout, stderr },
    { status: 2, stdout: '', stderr: "Unknown command 'tokn' (did you mean token?).\n" },
  )
  t.end()
})

t.test('a command loads the layers below only when it needs them', (t) => {
  const program = new URL('../../http/cli/program.ts', import.meta.url)
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { buildProgram } = await import('${program}')
    buildProgram()
    console.log(JSON.stringify(loaded))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  t.equal(stderr, '')
  const loaded = JSON.parse(stdout) as string[]
  t.ok(loaded.includes(program.href))
  const root = new URL('../..', import.meta.url).href
  const below = loaded.filter((url) => /^(?:actors|runtime|storage)\//.test(url.slice(root.length)))
  t.same(below, [])
  t.end()
})
