/**
 * Podman and podman-compose for tests: those of this machine, or Debian's packages, unpacked without installing them. What they store lies
 * in a directory of the test.
 */
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { unpacked } from '../compat/debian.ts'
import { eventually } from '../e2e/client.ts'
import { type Owner, tempDir } from '../support/mod.ts'

export type Ran = { code: number; stdout: string; stderr: string }
export type Podman = {
  run(...args: string[]): Promise<Ran>
  /** An environment in which the commands `podman` and `podman-compose` are these. */
  env: NodeJS.ProcessEnv
}

const STORAGE = 'storage'
/** Packages of Debian. The last three give containers a network in which they find each other by name. */
const PACKAGES = ['podman', 'conmon', 'runc', 'podman-compose', 'iptables', 'netavark', 'aardvark-dns']
const NAMES = [
  'podman',
  'conmon',
  'runc',
  'podman-compose',
  'python3',
  'xtables-nft-multi',
  'netavark',
  'aardvark-dns',
] as const

type Programs = {
  paths: Record<(typeof NAMES)[number], string>
  /** The directory in which the packages are unpacked; `/` where all of them are installed. */
  home: string
}

/** Resolves to the reason, as a sentence, where it cannot be had. */
export async function startPodman(t: Owner): Promise<Podman | string> {
  if (process.getuid!() !== 0) return 'Podman needs root here, so the image is not run.'
  let programs = programsIn('/')
  try {
    if (typeof programs === 'string') programs = await fetched()
  } catch (error) {
    return `Podman cannot be had here, so the image is not run: ${(error as Error).message}`
  }
  const home = tempDir(t)
  // Podman refuses a long path here.
  const running = mkdtempSync('/tmp/podman-')
  const env = settingsIn(home, running, programs)
  const run = (...args: string[]) => runProgram('podman', args, { env })
  t.teardown(async () => {
    await run('rm', '--all', '--force', '--time', '0')
    await eventually('nothing is mounted', () => removed(join(home, STORAGE)))
    rmSync(running, { recursive: true, force: true })
  })
  const { code, stderr } = await run('info')
  if (code !== 0) throw new Error(`Podman does not run here: ${stderr.trim()}`)
  return { run, env }
}

/**
 * Removes the storage. Podman mounts a directory of it onto itself, and does so again when a monitor cleans up behind a container
 * that has ended.
 */
function removed(storage: string): boolean {
  spawnSync('umount', [join(storage, 'overlay')])
  try {
    rmSync(storage, { recursive: true, force: true })
    return true
  } catch {
    return false
  }
}

/** Runs a program to its end. */
export async function runProgram(program: string, args: string[], options: SpawnOptions): Promise<Ran> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout!.on('data', (chunk) => (stdout += chunk))
  child.stderr!.on('data', (chunk) => (stderr += chunk))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

/** Returns the programs that lie in a directory or are installed, or else the first that is missing. */
function programsIn(home: string): Programs | string {
  const places = [home, '/'].flatMap((place) => ['bin', 'sbin', 'lib/podman'].map((name) => join(place, 'usr', name)))
  const found = NAMES.map((name) => [name, places.map((place) => join(place, name)).find(existsSync)] as const)
  const missing = found.find(([, path]) => path === undefined)
  return missing ? missing[0] : { paths: Object.fromEntries(found) as Programs['paths'], home }
}

async function fetched(): Promise<Programs> {
  const home = await unpacked('podman-compose', 'bookworm', (apt) =>
    apt('install', '--yes', '--download-only', '--no-install-recommends', ...PACKAGES),
  )
  const programs = programsIn(home)
  if (typeof programs === 'string') throw new Error(`there is no ${programs} among its packages.`)
  return programs
}

/** Settings of its own, because a machine without the package has none. Returns the environment that names them. */
function settingsIn(home: string, running: string, { paths, home: packages }: Programs): NodeJS.ProcessEnv {
  const write = (name: string, text: string, mode = 0o644) => {
    const path = join(home, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode })
    return path
  }
  const libraries = packages === '/' ? [] : globSync(['usr/lib/*-linux-gnu*', 'lib/*-linux-gnu*'], { cwd: packages })
  const library_path = libraries.map((name) => join(packages, name)).join(':')
  const library = `LD_LIBRARY_PATH='${library_path}'`
  // Some virtual machines let nobody raise a limit of a process, as Podman would.
  const runtime = write(
    'bin/runc',
    `#!/bin/sh
for word; do
  case $last in -b | --bundle) settings=$word/config.json ;; -p | --process) settings=$word ;; *) settings= ;; esac
  [ -z "$settings" ] || sed -i -E 's/"rlimits":\\[[^]]*\\]/"rlimits":[]/' "$settings"
  last=$word
done
${library} exec ${paths.runc} "$@"
`,
    0o755,
  )
  const monitor = write('bin/conmon', `#!/bin/sh\n${library} exec ${paths.conmon} "$@"\n`, 0o755)
  write('.config/containers/policy.json', '{"default":[{"type":"insecureAcceptAnything"}]}')
  const settings = write(
    'containers.conf',
    `[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
conmon_path = ["${monitor}"]
helper_binaries_dir = ["${dirname(paths.netavark)}"]
runtime = "runc"
[engine.runtimes]
runc = ["${runtime}"]
[containers]
log_driver = "k8s-file"
[network]
network_backend = "netavark"
network_config_dir = "${join(home, 'networks')}"
`,
  )
  const places = `--root '${home}/${STORAGE}' --runroot '${running}' --storage-driver overlay`
  const program = (name: string, command: string) =>
    write(`bin/${name}`, `#!/bin/sh\n${library} exec ${command} "$@"\n`, 0o755)
  program('podman', `${paths.podman} ${places}`)
  program('podman-compose', `${paths.python3} ${paths['podman-compose']}`)
  // Netavark calls these.
  for (const name of ['iptables', 'ip6tables']) program(name, `${paths['xtables-nft-multi']} ${name}`)
  const [XTABLES_LIBDIR] = globSync('usr/lib/*-linux-gnu*/xtables', { cwd: packages }).map((name) =>
    join(packages, name),
  )
  const PYTHONPATH = join(packages, 'usr/lib/python3/dist-packages')
  const PATH = [join(home, 'bin'), process.env.PATH].join(delimiter)
  const env = { ...process.env, PATH, PYTHONPATH, XTABLES_LIBDIR }
  return { ...env, NODE_OPTIONS: '', HOME: home, CONTAINERS_CONF: settings }
}
