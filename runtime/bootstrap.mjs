#!/usr/bin/env node
/**
 * Makes this clone ready to run, on a machine that has a Node 20 with npm and nothing else:
 *
 *   node runtime/bootstrap.mjs serve         what `npm start` needs: packages without development tools, nats-server
 *   node runtime/bootstrap.mjs development   what `npm test`, `npm run check` and `npm run bench` need: everything
 *
 * The npm scripts then exec Node 22 from node_modules, so that no process of the set-up stays in between to lose
 * signals or leave orphans. When all is in place it takes 40 ms and no network: one stamp in node_modules is compared.
 * It has no dependencies, because it runs before there are any, and speaks to people in whole sentences. It is one file
 * beside the list of what it removes, so that people whose set-up fails can read from top to bottom what it does to their machine.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeUnneeded } from './unneeded.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.parley-setup.json')
const MIN_NATS = [2, 9]

/** For machines without apt. A wrong sum only refuses the archive; set PARLEY_NATS_SERVER then. */
const ARCHIVE = {
  version: 'v2.10.10',
  sha256: {
    'linux-x64': 'c8cd7e19b906a5f8a7f9f7e70fc4bfa492d66a069d9664c4db19fdee1b6aa640',
    'darwin-x64': '5b6bfed8f75ecb2f6465b87334f4e757a66c32b6c5f802e964a080a3716ffffb',
    'darwin-arm64': '8af6cbd8f3f21bcec164d17bc879d3e7807cd98e1c7839ac668986a71c4e52c6',
  },
}

/** A reason to stop that its reader can act on: printed alone, without a stack. */
class Sentence extends Error {}

try {
  await prepare(process.argv[2])
} catch (error) {
  if (!(error instanceof Sentence)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

async function prepare(purpose) {
  if (purpose !== 'serve' && purpose !== 'development') {
    throw new Sentence('Use `npm start`, `npm test`, `npm run check`, `npm run bench` or `npm run setup`.')
  }
  const development = purpose === 'development'
  const needsNats = development || !process.env.NATS_URL
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const stamp = readJson(stampFile) ?? {}
  const installed =
    stamp.lock === lock && (stamp.development || !development) && isExecutable(join(modules, '.bin/node'))
  const broker = !needsNats || isExecutable(process.env.PARLEY_NATS_SERVER ?? stamp.nats_server ?? '')
  if (installed && broker) return

  if (process.platform === 'win32') throw new Sentence('Parley runs on Linux and macOS: on Windows use WSL.')
  if (Number(process.versions.node.split('.')[0]) < 20)
    throw new Sentence('Parley needs Node.js 20 or newer to set itself up.')
  let has_development = stamp.development === true
  let { cut } = stamp
  if (!installed) {
    if (!isInstalled(development)) {
      // npm would take them for complete, while the new release may need what was removed.
      for (const name of cut ?? []) rmSync(join(modules, name), { recursive: true, force: true })
      await installPackages(development)
      cut = undefined
    }
    has_development = isInstalled(true)
    // Otherwise the first start would build the pages, and each start where it cannot write.
    await run(join(modules, '.bin/node'), ['http/app/build_pages.ts'], { cwd: root })
    if (!has_development) cut = removeUnneeded(modules, nodeOfPackages())
  }
  const nats_server = needsNats ? await natsServer() : stamp.nats_server
  writeFileSync(stampFile, `${JSON.stringify({ lock, development: has_development, nats_server, cut })}\n`)
}

// ---------------------------------------------------------------- packages

/** True when node_modules already matches the lock file, whoever installed it. */
function isInstalled(development) {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages
  const present = readJson(join(modules, '.package-lock.json'))?.packages
  if (!wanted || !present || !isExecutable(join(modules, '.bin/node'))) return false
  return Object.entries(wanted).every(([path, { version, optional, dev, devOptional }]) => {
    if (path === '' || (!development && (dev || devOptional))) return true
    return present[path] ? present[path].version === version : optional === true
  })
}

async function installPackages(development) {
  const done = progress(
    `Installing the packages${development ? ' and development tools' : ''} (once, about half a minute)`,
  )
  // PATH without node_modules/.bin, whose contents npm is about to replace.
  const PATH = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((entry) => entry !== join(modules, '.bin'))
    .join(delimiter)
  const args = [
    'install',
    '--no-save',
    development ? '--include=dev' : '--omit=dev',
    // Those of a few packages run below.
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  // `npm install` that writes nothing rather than `npm ci`: it keeps to the lock file too, but forgives one that was
  // made behind a registry without the binaries of other platforms.
  const options = { cwd: root, env: { ...process.env, PATH } }
  let { code, output } = await run('npm', args, options)
  const allowed = code === 0 ? allowedPackages() : []
  if (allowed.length > 0) {
    const rebuild = ['rebuild', '--ignore-scripts=false', '--foreground-scripts', '--loglevel=error', ...allowed]
    ;({ code, output } = await run('npm', rebuild, options))
  }
  const installed = code === 0 && isExecutable(join(modules, '.bin/node'))
  // tap builds its test class from the plugins of .taprc; without this step the first run would use the default class.
  if (installed && development)
    await run(join(modules, '.bin/node'), [join(modules, '.bin/tap'), 'build'], { cwd: root })
  done(installed)
  if (installed) return
  if (code === 'ENOENT') throw new Sentence('npm is missing: install it (Debian: `apt-get install npm`) and try again.')
  if (
    /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT/.test(output)
  ) {
    throw new Sentence(
      'The npm registry cannot be reached: check the network or npm’s `registry` and `proxy` settings, then try again.',
    )
  }
  if (/ENOSPC/.test(output))
    throw new Sentence('The disk is full: Parley’s packages need about 1 GB; make room and try again.')
  if (/EACCES|EROFS|EPERM/.test(output))
    throw new Sentence(`The packages cannot be written to ${modules}: make it writable and try again.`)
  const reason = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim())
    .filter(Boolean)
  throw new Sentence(
    `\`npm install\` failed (${reason.slice(0, 3).join('; ') || 'it gave no reason'}): run it by itself to see more.`,
  )
}

/** The Node that runs Parley: the one that runs this may be another. */
function nodeOfPackages() {
  const { stdout } = spawnSync(join(modules, '.bin/node'), ['-p', 'process.versions.modules'], { encoding: 'utf8' })
  return { platform: process.platform, arch: process.arch, abi: stdout.trim() }
}

/** The installed packages whose scripts may run: `allowScripts` of package.json. */
function allowedPackages() {
  const names = Object.keys(readJson(join(root, 'package.json'))?.allowScripts ?? {})
  return names.filter((name) => existsSync(join(modules, name)))
}

// ------------------------------------------------------------- nats-server

/** Path of a nats-server that is new enough: named, on the PATH, fetched by an earlier set-up, or fetched now. */
async function natsServer() {
  const named = process.env.PARLEY_NATS_SERVER
  if (named) {
    if (isRecentNats(named)) return named
    throw new Sentence(
      `PARLEY_NATS_SERVER names ${named}, which is not a nats-server 2.9 or newer: correct it or leave it out.`,
    )
  }
  const store = cacheDirectory()
  const places = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/bin',
    '/opt/homebrew/bin',
    store,
  ]
  return places.map((place) => join(place, 'nats-server')).find(isRecentNats) ?? (await fetchNats(store))
}

/** Outside the clone, so that the next clone finds it; inside when there is no writable home. */
function cacheDirectory() {
  for (const base of [process.env.XDG_CACHE_HOME, join(homedir(), '.cache'), join(root, '.parley')]) {
    if (!base?.startsWith('/')) continue
    try {
      const directory = join(base, 'parley')
      mkdirSync(directory, { recursive: true })
      accessSync(directory, constants.W_OK)
      return directory
    } catch {}
  }
  throw new Sentence('There is no directory to keep nats-server in: set XDG_CACHE_HOME to one that can be written.')
}

async function fetchNats(store) {
  const done = progress('Fetching nats-server (once)')
  const work = mkdtempSync(join(store, 'fetch-'))
  try {
    const found = (await fromDebian(work)) ?? (await fromBrew(work)) ?? (await fromArchive(work))
    done(found !== null)
    if (!found) {
      throw new Sentence(
        'nats-server could not be fetched: check the network, or install nats-server 2.9 or newer yourself ' +
          '(Debian and Ubuntu: `apt-get install nats-server`, macOS: `brew install nats-server`), then try again.',
      )
    }
    const kept = join(store, 'nats-server')
    copyFileSync(found, `${kept}.new`)
    chmodSync(`${kept}.new`, 0o755)
    renameSync(`${kept}.new`, kept)
    return kept
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Unpacks the distribution's package without installing it, which needs no root. */
async function fromDebian(work) {
  if (spawnSync('dpkg', ['--version']).status !== 0) return null
  const options = [
    '-q',
    '-o',
    'APT::Sandbox::User=root',
    '-o',
    'Acquire::Retries=1',
    '-o',
    'Acquire::http::Timeout=15',
    '-o',
    'Acquire::https::Timeout=15',
  ]
  const download = (extra) => run('apt-get', [...options, ...extra, 'download', 'nats-server'], { cwd: work })
  if ((await download([])).code !== 0) {
    // No package lists on this machine, or stale ones: fetch lists of our own and leave the machine's alone.
    const own = [
      '-o',
      `Dir::State::Lists=${join(work, 'lists')}`,
      '-o',
      `Dir::Cache=${join(work, 'cache')}`,
      '-o',
      'Debug::NoLocking=true',
    ]
    for (const directory of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(work, directory), { recursive: true })
    // A third party's source that fails does not matter as long as the package is found.
    await run('apt-get', [...options, ...own, 'update'], { cwd: work })
    if ((await download(own)).code !== 0) return null
  }
  const file = readdirSync(work).find((name) => name.endsWith('.deb'))
  if (!file || (await run('dpkg', ['-x', file, 'unpacked'], { cwd: work })).code !== 0) return null
  return ['usr/sbin', 'usr/bin'].map((place) => join(work, 'unpacked', place, 'nats-server')).find(isRecentNats) ?? null
}

/** Homebrew installs it for the user; the binary is then found like any other. */
async function fromBrew(work) {
  if (process.platform !== 'darwin' || spawnSync('brew', ['--version']).status !== 0) return null
  const { code } = await run('brew', ['install', '--quiet', 'nats-server'], { cwd: work })
  const prefix = code === 0 ? spawnSync('brew', ['--prefix'], { encoding: 'utf8' }).stdout.trim() : ''
  const binary = join(prefix, 'bin', 'nats-server')
  return prefix !== '' && isExecutable(binary) ? binary : null
}

/** The project's own release, for machines with neither. */
async function fromArchive(work) {
  const sum = ARCHIVE.sha256[`${process.platform}-${process.arch}`]
  if (!sum) return null
  const name = `nats-server-${ARCHIVE.version}-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  try {
    const url = `https://github.com/nats-io/nats-server/releases/download/${ARCHIVE.version}/${name}.tar.gz`
    const response = await fetch(url, { signal: AbortSignal.timeout(120_000) })
    if (!response.ok) return null
    const archive = Buffer.from(await response.arrayBuffer())
    if (createHash('sha256').update(archive).digest('hex') !== sum) {
      throw new Sentence(
        `The archive ${url} is not the one Parley knows (its checksum differs): install nats-server yourself.`,
      )
    }
    writeFileSync(join(work, 'archive.tar.gz'), archive)
  } catch (error) {
    if (error instanceof Sentence) throw error
    return null
  }
  if ((await run('tar', ['-xzf', 'archive.tar.gz'], { cwd: work })).code !== 0) return null
  return [join(work, name, 'nats-server')].find(isRecentNats) ?? null
}

function isRecentNats(path) {
  if (!isExecutable(path)) return false
  const answer = spawnSync(path, ['--version'], { encoding: 'utf8' })
  const [major, minor] = /nats-server:? v(\d+)\.(\d+)/
    .exec(`${answer.stdout}${answer.stderr}`)
    ?.slice(1)
    .map(Number) ?? [0, 0]
  return major > MIN_NATS[0] || (major === MIN_NATS[0] && minor >= MIN_NATS[1])
}

// ------------------------------------------------------------------- tools

/** Runs a command to its end. `code` is its exit code, or 'ENOENT' when there is no such command. */
function run(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.once('error', (error) => resolve({ code: error.code, output: error.message }))
    child.once('close', (code) => resolve({ code, output }))
  })
}

/** Prints a step that takes long, and that it is still running. Returns the function that ends the report. */
function progress(what) {
  const began = Date.now()
  const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`
  const terminal = process.stderr.isTTY
  process.stderr.write(`${what} …${terminal ? '' : '\n'}`)
  const tick = () => process.stderr.write(terminal ? `\r${what} … ${seconds()}` : `  still at it after ${seconds()}\n`)
  const timer = setInterval(tick, terminal ? 1000 : 15_000)
  return (ok) => {
    clearInterval(timer)
    process.stderr.write(`${terminal ? `\r${what} … ` : '  '}${ok ? 'done' : 'failed'} after ${seconds()}\n`)
  }
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return path !== ''
  } catch {
    return false
  }
}

function readJson(path) {
  try {
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
  } catch {
    return null
  }
}
