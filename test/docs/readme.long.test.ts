/**
 * The README and the pages for a first day are run: their `sh` blocks against a development start, with each answer
 * compared with the block that follows. Blocks marked `shell` are for other machines (clones, real accounts) and are
 * only read.
 */
import { createHmac } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import t, { type Test } from 'tap'
import { welcome } from '../../http/app/demo/welcome.ts'
import { startParley } from '../../http/app/parley.ts'
import { configReference, readConfig } from '../../http/app/settings/mod.ts'
import { buildProgram } from '../../http/cli/program.ts'
import { mcpRoute } from '../../http/mcp/mcp_route.ts'
import { operationsRoutes } from '../../http/server/probes.ts'
import { silentLog } from '../../runtime/mod.ts'
import { startSink } from '../e2e/sink.ts'
import { describableRoutes } from '../support/described.ts'
import { freePort, tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'
import { watchNode } from '../support/watched_fetch.ts'
import { Example, masked } from './example.ts'
import { anchorsOf, type Block, blocksOf, linksOf } from './markdown.ts'
import { Shell } from './shell.ts'
import { checkVerifiers } from './verifiers.ts'

class Page {
  readonly name: string
  readonly file: string
  readonly text: string
  readonly blocks: Block[]

  constructor(name: string) {
    this.name = name
    this.file = join(root, name)
    this.text = readFileSync(this.file, 'utf8')
    this.blocks = blocksOf(this.text)
  }

  block(language: string, part = ''): Block {
    return this.blocks.find((one) => one.language === language && one.code.includes(part))!
  }
}

const readme = new Page('README.md')
const first_steps = new Page('docs/first_steps.md')
const webhooks = new Page('docs/webhooks.md')
const limits = new Page('docs/limits.md')
const operator_api = new Page('docs/operator_api.md')
const production = new Page('docs/production.md')
const configuration = new Page('docs/configuration.md')
const contributing = new Page('CONTRIBUTING.md')
const others = ['docs/README.md', 'SECURITY.md', 'CHANGELOG.md'].map((name) => new Page(name))
/** The pages in the order of reading, each after the one before. */
const tour = [first_steps, limits, operator_api]
const pages = [readme, ...tour, production, configuration, contributing, ...others]

t.test('the examples give the answers on the pages', async (t) => {
  const directory = tempDir(t)
  const sink = await startSink(t)
  sink.answer('hooks', () => 204)
  const config = readConfig({ PARLEY_DATA_DIR: join(directory, '.parley'), PARLEY_PORT: String(await freePort()) })
  const parley = await startParley(config, { log: silentLog })
  t.teardown(() => parley.stop())
  watchNode(parley.base_url)
  const shell = new Shell(directory)

  async function run(run_pages: Page[]): Promise<Example> {
    const example = new Example()
    example.names.set('http://127.0.0.1:8080', parley.base_url)
    example.names.set('http://127.0.0.1:3000/hooks', sink.url('hooks'))
    const said = { prelude: '' }
    for (const page of run_pages) await runPage(page, example, said)
    return example
  }

  async function runPage(page: Page, example: Example, said: { prelude: string }): Promise<void> {
    const listens = page.block('shell', 'webhooks listen')
    const writes = page.block('sh', 'simulate inbound')
    const { blocks } = page
    for (const [index, one] of blocks.entries()) {
      if (one.language !== 'sh') continue
      if (one.code.startsWith('export ')) said.prelude += example.translate(one.code)
      else if (one === writes) {
        await allRead()
        const listener = shell.start(t, listens.code)
        await listener.says(/Listening/)
        await works(page, example, said.prelude, one, undefined)
        await listener.says(/message\.received/)
        const { code, stdout, stderr } = await listener.stop()
        t.equal(code, 0, 'Ctrl-C ends the listener')
        t.equal(masked(stderr + stdout), masked(blocks[index + 1]!.code))
      } else await works(page, example, said.prelude, one, blocks[index + 1])
    }
  }

  /** The messages of the blocks before have no event left, which a listener would print. */
  async function allRead(): Promise<void> {
    const headers = { authorization: `Bearer ${parley.demo!.token}` }
    const under_way = async (status: string) => {
      const answer = await fetch(`${parley.base_url}/v1/messages?status=${status}`, { headers })
      return ((await answer.json()) as { data: unknown[] }).data.length > 0
    }
    for (const status of ['queued', 'sent', 'delivered']) while (await under_way(status)) await sleep(100)
  }

  async function works(
    { name }: Page,
    example: Example,
    prelude: string,
    { code, line }: Block,
    next: Block | undefined,
  ): Promise<void> {
    const script = example.translate(code)
    // The requested record may still be on its way.
    for (let left = 20; ; left--) {
      const ran = await shell.run(`${prelude}\n${script}`)
      const wrong =
        ran.code === 0 ? unlike(example, ran.stdout, ran.stderr, next) : `it ended with ${ran.code}: ${ran.stderr}`
      if (!wrong) return void t.pass(`${name}, line ${line}`)
      if (left === 0 || /-d /.test(code)) return void t.fail(`${name}, line ${line}: ${wrong}`)
      await sleep(250)
    }
  }

  function unlike(example: Example, stdout: string, stderr: string, next: Block | undefined): string | undefined {
    if (next?.language === 'json') return example.difference(JSON.parse(next.code), JSON.parse(stdout))
    if (next?.language !== 'http' && next?.language !== 'console') return undefined
    const [shown, actual] = [next.code, stdout + stderr].map((text) => masked(example.translate(text)))
    return shown === actual ? undefined : `it printed\n${actual}\nnot\n${shown}`
  }

  const example = await run(tour)

  await t.test('a delivery arrives as the page shows it', async (t) => {
    const call = sink.calls('hooks')[0]!
    const [head = '', body = ''] = first_steps.block('http', 'POST /hooks').code.split('\n\n')
    const shown = head
      .split('\n')
      .slice(1)
      .map((line) => line.split(': ') as [string, string])
    for (const [name] of shown) t.ok(call.headers[name.toLowerCase()], name)
    t.notOk(new Example().difference(JSON.parse(body), call.body))
    const { secret } = JSON.parse(first_steps.block('json', 'whsec_').code)
    const signature = Object.fromEntries(shown)['X-Svc-Signature']!
    const [, time, v1] = /^t=(\d+),v1=(\w+)$/.exec(signature)!
    t.equal(createHmac('sha256', secret).update(`${time}.${body.trim()}`).digest('hex'), v1, 'the one shown is genuine')
    await checkVerifiers(t, shell, {
      sources: {
        ts: webhooks.block('ts').code,
        python: webhooks.block('python').code,
        bash: webhooks.block('bash').code,
        js: readme.block('js').code,
      },
      delivery: { headers: call.headers, body: call.raw, secret: example.translate(secret) },
    })
  })

  await run([readme])

  await t.test('the rate limit answers as the page shows', async (t) => {
    const { token } = parley.demo!
    const ask = () => fetch(`${parley.base_url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    let answer = await ask()
    // A new minute may begin meanwhile.
    for (let left = 1200; answer.status !== 429 && left > 0; left--) answer = await ask()
    t.equal(answer.status, 429)
    t.notOk(example.difference(JSON.parse(limits.block('json', 'THROTTLED').code), await answer.json()))
  })

  const said = masked(welcome(parley))
  for (const line of readme
    .block('console', 'is ready')
    .code.split('\n')
    .filter((line) => line.trim() && line !== '…')) {
    t.ok(said.includes(masked(line)), line)
  }
  const elsewhere = welcome(parley, "/srv/Ana's data")
  t.match(
    elsewhere,
    /^ +PARLEY_DATA_DIR='\/srv\/Ana'\\''s data' npx parley webhooks listen$/m,
    'commands find its keys',
  )
})

t.test('every link of the pages has a target', (t) => {
  for (const page of pages) pointsToWhatExists(t, page)
  t.end()
})

function pointsToWhatExists(t: Test, { file, text }: Page): void {
  for (const link of linksOf(text).filter((link) => !link.includes('://'))) {
    const [path = '', anchor] = link.split('#')
    const target = path ? join(dirname(file), path) : file
    t.ok(existsSync(target), path || link)
    if (anchor && existsSync(target)) t.ok(anchorsOf(readFileSync(target, 'utf8')).includes(anchor), link)
  }
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // `npm install <package>` is for the programs of readers.
  for (const [, script] of text.matchAll(/(?:^|`)npm (?:run )?(?!install\s)([a-z:]*[a-z])/gm))
    t.ok(scripts[script!], `npm ${script}`)
  for (const [, path] of text.matchAll(/\bnpm test -- ([^\s-]\S*?)`/g)) t.ok(existsSync(join(root, path!)), path!)
  const settings = [...configReference().matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
  // A token is for the command line alone.
  const named = [...text.matchAll(/\bPARLEY_[A-Z_]+\b/g)]
    .map(([name]) => name)
    .filter((name) => name !== 'PARLEY_TOKEN')
  for (const name of new Set(named)) t.ok(settings.includes(name), name)
}

t.test('every command and every path in the pages is one of ours', (t) => {
  const find = (parent: Command, name: string) => parent.commands.find((command) => command.name() === name)
  const text = pages.map((page) => page.text).join('\n')
  for (const [, first = '', second = ''] of text.matchAll(/(?:`|npx )parley ([a-z-]+)(?: ([a-z-]+))?/g)) {
    const command = find(buildProgram(), first)
    t.ok(command, `parley ${first}`)
    const is_whole = command && command.registeredArguments.length > 0
    if (command?.commands.length && !is_whole) t.ok(find(command, second), `parley ${first} ${second}`)
  }
  const operations = operationsRoutes(async () => ({ ok: true, checks: {} }))
  const mcp = mcpRoute({ routes: [], base_url: 'http://localhost', log: silentLog })
  t.teardown(() => mcp.stop())
  const paths = [...describableRoutes(), ...operations, mcp.route].map(({ path }) => path.replaceAll(/:\w+/g, '*'))
  const written = text.matchAll(
    /(?:GET |POST |PATCH |DELETE |\$BASE|host>|`)(\/(?:v1|admin\/v1|providers|health|ready)[^\s"?`]*)/g,
  )
  for (const [, path = ''] of written) {
    const plain = path.replaceAll(/\{\w+\}|<[^>]*|\b(?:wh|msg)_[0-9a-f]+/g, '*')
    t.ok(
      paths.some((known) => known === plain || known.startsWith(`${plain}/`)) || path.startsWith('/admin/v1/$'),
      path,
    )
  }
  t.end()
})

/** The settings that a newcomer or an operator needs first. */
const FIRST = [
  'PARLEY_PORT',
  'PARLEY_HOST',
  'PARLEY_BASE_URL',
  'PARLEY_DATA_DIR',
  'PARLEY_BLOB_URL',
  'DATABASE_URL',
  'NATS_URL',
  'PARLEY_ENV',
  'PARLEY_OPERATOR_KEY',
  'PARLEY_SECRET',
  'PARLEY_TRUSTED_PROXIES',
  'PARLEY_ALLOW_NETWORKS',
  'PARLEY_WEBHOOK_SCHEDULE',
  'PARLEY_LIMIT_MINUTE',
  'PARLEY_LIMIT_HOUR',
  'PARLEY_LIMIT_DAY',
  'PARLEY_LOG_LEVEL',
]

t.test('the settings to know first are those of the code', (t) => {
  const [title, rule, ...rows] = configReference().split('\n')
  const chosen = FIRST.map((name) => rows.find((row) => row.startsWith(`| \`${name}\` |`)))
  const [begin, end] = ['<!-- the settings to know first -->\n', '<!-- /the settings to know first -->\n']
  const { file, text } = configuration
  const [before, rest = ''] = text.split(begin)
  const right = `${before}${begin}${[title, rule, ...chosen].join('\n')}\n${end}${rest.split(end)[1]}`
  if (process.env.TAP_SNAPSHOT === '1') writeFileSync(file, right)
  else t.equal(text, right, 'run `TAP_SNAPSHOT=1 npm test -- test/docs/readme.long.test.ts` to write it again')
  t.strictSame(readConfig({}).webhook_schedule, [0, 5, 300, 1800, 7200], 'the pauses the text tells')
  t.end()
})
