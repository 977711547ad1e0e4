/**
 * Selects the server and the key of a command. Options of the command line take precedence, then the environment, then
 * `demo.json` of a development start in the data directory.
 *
 * 1. In production `demo.json` is ignored: the server and the key must be given.
 * 2. Keys of `demo.json` are sent to the address in `demo.json` and nowhere else.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Command, Option } from 'commander'
import { type Demo, readDemo } from '../../app/demo/demo_file.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { paint, remark } from '../terminal/terminal.ts'
import { Api } from './api.ts'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The release of this Parley. */
export function releaseOf(): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
}

type Place = { base_url: string; demo: Demo | undefined }

export type BaseOptions = { baseUrl?: string }
export type OperatorOptions = BaseOptions & { operatorKey?: string }
export type TokenOptions = BaseOptions & { token?: string }

const baseUrlOption = () =>
  new Option('--base-url <url>', 'address of Parley (default: the demo’s)').env('PARLEY_BASE_URL')

export function withOperatorOptions(command: Command): Command {
  return command
    .addOption(baseUrlOption())
    .addOption(
      new Option('--operator-key <key>', 'key of the operator API (default: the demo’s)').env('PARLEY_OPERATOR_KEY'),
    )
}

export function withTokenOptions(command: Command): Command {
  return command
    .addOption(baseUrlOption())
    .addOption(new Option('--token <token>', 'access token of the project (default: the demo’s)').env('PARLEY_TOKEN'))
}

/** Keys that are given on the command line, and the variables that keep them private. */
const EXPOSED: Record<string, string> = { '--operator-key': 'PARLEY_OPERATOR_KEY', '--token': 'PARLEY_TOKEN' }

/** Warns of keys on the command line, which other users of the machine read in the list of processes. */
export function warnOfExposedKeys(command: Command): void {
  for (const option of command.options) {
    const variable = EXPOSED[option.long ?? '']
    if (variable === undefined || command.getOptionValueSource(option.attributeName()) !== 'cli') continue
    const warning = `Other users of this machine can read ${option.long} in the list of processes: set ${variable} instead.`
    remark(paint('yellow', warning, process.stderr))
  }
}

/** The same rule as in the server: production by setting, or by a database of the operator's. */
function isProduction(env: NodeJS.ProcessEnv): boolean {
  return env.PARLEY_ENV ? env.PARLEY_ENV === 'production' : Boolean(env.DATABASE_URL)
}

/** The demo of the last development start, from here or else from the clone; undefined in production. */
export function findDemo(env: NodeJS.ProcessEnv = process.env): Demo | undefined {
  if (isProduction(env)) return undefined
  const places = env.PARLEY_DATA_DIR ? [resolve(env.PARLEY_DATA_DIR)] : [resolve('.parley'), join(root, '.parley')]
  for (const place of places) {
    const demo = readDemo(place)
    if (demo) return demo
  }
  return undefined
}

function placeAdvice(env: NodeJS.ProcessEnv): string {
  const name = 'name one with --base-url or PARLEY_BASE_URL, such as https://parley.example.com'
  if (isProduction(env)) return name
  const moved = 'set PARLEY_DATA_DIR here as it is there, if it runs with another data directory'
  return `start one with \`npm start\`, ${moved}, or ${name}`
}

function findPlace(options: BaseOptions): Place {
  const demo = findDemo()
  if (!options.baseUrl) {
    if (demo) return { base_url: plain(demo.base_url), demo }
    throw new CommandFailure(`There is no Parley to speak to: ${placeAdvice(process.env)}.`)
  }
  const base_url = plain(checkUrl(options.baseUrl, '--base-url'))
  return { base_url, demo: demo && plain(demo.base_url) === base_url ? demo : undefined }
}

const plain = (url: string) => url.replace(/\/+$/, '')

/**
 * @throws {CommandFailure} when the text is not a web address; `name` begins the sentence
 */
export function checkUrl(text: string, name: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new CommandFailure(`${name} must be a URL such as https://parley.example.com, not "${text}".`, 2)
}

/** The operator API, and the demo whose records are the default. */
export function connectAsOperator(options: OperatorOptions): { api: Api; demo: Demo | undefined } {
  const { base_url, demo } = findPlace(options)
  const key = options.operatorKey || demo?.operator_key
  if (key) return { api: new Api(base_url, key, 'operator key'), demo }
  throw new CommandFailure(`The operator key of ${base_url} is missing: give --operator-key or PARLEY_OPERATOR_KEY.`)
}

/** The public API as the project of a token. */
export function connectAsProject(options: TokenOptions): Api {
  const { base_url, demo } = findPlace(options)
  const token = options.token || demo?.token
  if (token) return new Api(base_url, token, 'token')
  throw new CommandFailure(`An access token for ${base_url} is missing: give --token or PARLEY_TOKEN.`)
}

/** The public API with a token of any project. */
export function connectWith(options: BaseOptions, token: string): Api {
  return new Api(findPlace(options).base_url, token, 'token')
}

/** The control API of the provider simulator. */
export function connectToSimulator(simulator_url: string | undefined): Api {
  const url = simulator_url ? checkUrl(simulator_url, '--simulator-url') : findDemo()?.simulator_url
  if (url) return new Api(plain(url), undefined, 'token')
  throw new CommandFailure(
    'There is no simulator to speak to: start Parley with `npm start`, or name one with --simulator-url.',
  )
}
