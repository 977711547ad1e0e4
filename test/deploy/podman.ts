/**
 * Podman for tests: the one of this machine, or Debian's packages, unpacked without installing them. What it stores lies in a directory of
 * the test.
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
  /** An environment in which the command `podman` is this one. */
  env: NodeJS.ProcessEnv
}

const STORAGE = 'storage'
/** Gives containers a network in which they find each other by name. */
export const NETAVARK = '/usr/lib/podman/netavark'

type Programs = { podman: string; conmon: string; runc: string; libraries: string[] }

/** Resolves to the reason, as a sentence, where it cannot be had. */
export async function startPodman(t: Owner): Promise<Podman | string> {
  if (process.getuid!() !== 0) return 'Podman needs root here, so the image is not run.'
  let programs: Programs
  try {
    programs = installed() ?? (await fetched())
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

function installed(): Programs | undefined {
  const [podman, conmon, runc] = ['podman', 'conmon', 'runc'].map((name) =>
    ['/usr/bin', '/usr/sbin'].map((place) => join(place, name)).find(existsSync),
  )
  return podman && conmon && runc ? { podman, conmon, runc, libraries: [] } : undefined
}

async function fetched(): Promise<Programs> {
  const home = await unpacked('podman', 'bookworm', (apt) =>
    apt('install', '--yes', '--download-only', '--no-install-recommends', 'podman', 'runc', 'conmon'),
  )
  const libraries = globSync(['usr/lib/*-linux-gnu*', 'lib/*-linux-gnu*'], { cwd: home }).map((name) =>
    join(home, name),
  )
  const program = (name: string) => {
    const own = globSync(`usr/{bin,sbin}/${name}`, { cwd: home }).map((path) => join(home, path))
    // The machine has it already.
    const found = [...own, `/usr/bin/${name}`, `/usr/sbin/${name}`].find(existsSync)
    if (!found) throw new Error(`there is no ${name} among its packages.`)
    return found
  }
  return { podman: program('podman'), conmon: program('conmon'), runc: program('runc'), libraries }
}

/** Settings of its own, because a machine without the package has none. Returns the environment that names them. */
function settingsIn(home: string, running: string, { podman, conmon, runc, libraries }: Programs): NodeJS.ProcessEnv {
  const write = (name: string, text: string, mode = 0o644) => {
    const path = join(home, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode })
    return path
  }
  const library_path = libraries.join(':')
  // Some virtual machines let nobody raise a limit of a process, as Podman would.
  const runtime = write(
    'bin/runc',
    `#!/bin/sh
for word; do
  case $last in -b | --bundle) settings=$word/config.json ;; -p | --process) settings=$word ;; *) settings= ;; esac
  [ -z "$settings" ] || sed -i -E 's/"rlimits":\\[[^]]*\\]/"rlimits":[]/' "$settings"
  last=$word
done
LD_LIBRARY_PATH='${library_path}' exec ${runc} "$@"
`,
    0o755,
  )
  const monitor = write('bin/conmon', `#!/bin/sh\nLD_LIBRARY_PATH='${library_path}' exec ${conmon} "$@"\n`, 0o755)
  write('.config/containers/policy.json', '{"default":[{"type":"insecureAcceptAnything"}]}')
  const settings = write(
    'containers.conf',
    `[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
conmon_path = ["${monitor}"]
runtime = "runc"
[engine.runtimes]
runc = ["${runtime}"]
[containers]
log_driver = "k8s-file"
[network]
network_backend = "${existsSync(NETAVARK) ? 'netavark' : 'cni'}"
network_config_dir = "${join(home, 'networks')}"
`,
  )
  const places = `--root '${home}/${STORAGE}' --runroot '${running}' --storage-driver overlay`
  const library = `LD_LIBRARY_PATH='${library_path}'`
  write('bin/podman', `#!/bin/sh\n${library} exec ${podman} ${places} "$@"\n`, 0o755)
  const PATH = [join(home, 'bin'), process.env.PATH].join(delimiter)
  return { ...process.env, NODE_OPTIONS: '', HOME: home, CONTAINERS_CONF: settings, PATH }
}
