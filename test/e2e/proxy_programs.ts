/** The proxies of docs/proxies.md: the programs of the system, with the examples as they are printed there. */
import { spawn } from 'node:child_process'
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Issued, issue } from '../support/certificates.ts'
import { freePort, type Owner, tempDir } from '../support/mod.ts'
import { eventually } from './client.ts'

export type RunningProxy = {
  url: string
  ca: string
  /** Everything that the program has printed. */
  said(): string
}

type Place = {
  directory: string
  /** Port of the proxy, with TLS. */
  port: number
  /** Port of the proxy, without TLS. */
  plain_port: number
  certificate: Issued
}

type Program = {
  name: string
  /** Writes the files of a start. Returns the arguments. */
  prepare(example: string, place: Place): string[]
}

const PAGE = new URL('../../docs/proxies.md', import.meta.url)
const NODES = ['10.0.0.11:8080', '10.0.0.12:8080', '10.0.0.13:8080']
const SERVICE_DIRECTORIES = ['/usr/sbin', '/usr/local/sbin']

export const programs: Program[] = [
  {
    name: 'haproxy',
    prepare(example, { directory, port, plain_port, certificate }) {
      const file = join(directory, 'haproxy.cfg')
      const pem = write(directory, 'parley.pem', certificate.cert + certificate.key)
      writeFileSync(
        file,
        placed(example, {
          'bind :80\n': `bind 127.0.0.1:${plain_port}\n`,
          'bind :443 ': `bind 127.0.0.1:${port} `,
          '/etc/haproxy/parley.pem': pem,
        }),
      )
      return ['-db', '-f', file]
    },
  },
  {
    name: 'nginx',
    prepare(example, { directory, port, plain_port, certificate }) {
      const file = write(
        directory,
        'parley.conf',
        placed(example, {
          'listen 80;': `listen 127.0.0.1:${plain_port};`,
          'listen 443 ': `listen 127.0.0.1:${port} `,
          '/etc/nginx/parley.crt': write(directory, 'parley.crt', certificate.cert),
          '/etc/nginx/parley.key': write(directory, 'parley.key', certificate.key),
        }),
      )
      const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const paths = kinds.map((kind) => `${kind}_temp_path ${join(directory, kind)};`).join('\n')
      const whole = `daemon off;\nuser ${userInfo().username};\npid ${join(directory, 'nginx.pid')};\nerror_log stderr warn;\nevents {}\nhttp {\n${paths}\naccess_log off;\ninclude ${file};\n}\n`
      return ['-c', write(directory, 'nginx.conf', whole)]
    },
  },
  {
    name: 'caddy',
    prepare(example, { directory, port, certificate }) {
      const cert = write(directory, 'parley.crt', certificate.cert)
      const key = write(directory, 'parley.key', certificate.key)
      const site = placed(example, {
        'parley.example.com {\n': `https://127.0.0.1:${port} {\n\ttls ${cert} ${key}\n`,
      })
      const file = write(directory, 'Caddyfile', `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
      return ['run', '--adapter', 'caddyfile', '--config', file]
    },
  },
]

/** Returns the path of a program, or undefined where it is not installed. */
export function pathOf({ name }: Program): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), ...SERVICE_DIRECTORIES]
  return places.map((place) => join(place, name)).find(isProgram)
}

/**
 * Writes the files of a proxy from its example, in front of nodes (`host:port`). Returns the arguments of its start.
 * @throws {Error} when the example lacks an address or a path that a start here replaces
 */
export async function prepareProxy(t: Owner, program: Program, nodes: string[]) {
  const directory = tempDir(t)
  mkdirSync(join(directory, 'home'))
  const authority = issue({ name: 'the authority of a test', is_authority: true })
  const certificate = issue({ name: '127.0.0.1', hosts: ['127.0.0.1'], by: authority })
  const place = { directory, port: await freePort(), plain_port: await freePort(), certificate }
  const example = placed(exampleFor(program), Object.fromEntries(NODES.map((node, i) => [node, nodes[i]!])))
  return { directory, port: place.port, args: program.prepare(example, place), ca: authority.cert }
}

/** Starts a proxy with its example, in front of nodes (`host:port`). Resolves when it accepts connections. */
export async function startProxy(t: Owner, program: Program, nodes: string[]): Promise<RunningProxy> {
  const { directory, port, args, ca } = await prepareProxy(t, program, nodes)
  const env = { PATH: process.env.PATH!, HOME: join(directory, 'home'), XDG_DATA_HOME: join(directory, 'home') }
  const child = spawn(pathOf(program)!, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  t.teardown(async () => {
    child.kill('SIGTERM')
    await ended
  })
  await eventually(`${program.name} accepts connections`, () => {
    if (child.exitCode !== null) throw new Error(`${program.name} ended: ${said}`)
    return connects(port)
  })
  return { url: `https://127.0.0.1:${port}`, ca, said: () => said }
}

/** The example of the page: the block of code in the program's language. */
function exampleFor({ name }: Program): string {
  const [, example] = new RegExp(`^\`\`\`${name}\n(.*?)^\`\`\`$`, 'ms').exec(readFileSync(PAGE, 'utf8')) ?? []
  if (example === undefined) throw new Error(`docs/proxies.md has no example for ${name}`)
  return example
}

/** Replaces addresses and paths, each of which the example has. */
function placed(example: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example does not have ${JSON.stringify(from)}`)
    return text.replaceAll(from, to)
  }, example)
}

function write(directory: string, name: string, text: string): string {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** True when a program listens on the port. */
export function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
