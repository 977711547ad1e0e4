/**
 * Renders the chart. Helm itself is in neither registry, so this is a small program of Helm's own libraries: Go's templates, Sprig
 * and Kubernetes' YAML, as Debian has them.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { unpacked } from '../../compat/debian.ts'
import { type Owner, tempDir } from '../../support/mod.ts'
import { root } from '../../support/root.ts'

const PACKAGES = ['golang-go', 'golang-github-masterminds-sprig-dev', 'golang-k8s-sigs-yaml-dev']
const INSTALLED = [
  '/usr/bin/go',
  '/usr/share/gocode/src/github.com/Masterminds/sprig',
  '/usr/share/gocode/src/sigs.k8s.io/yaml',
]

const chart = join(root, 'deploy/chart')

export type KubernetesObject = {
  apiVersion: string
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
}
export type Asked = { values: Record<string, unknown>; release?: string; is_upgrade?: boolean }
/** `error`: what Helm would say. */
export type Rendered = { objects: KubernetesObject[]; notes: string } | { error: string }
export type Renderer = (asked: Asked) => Promise<Rendered>

/** Resolves to the reason, as a sentence, where it cannot be had. */
export async function buildRenderer(t: Owner): Promise<Renderer | string> {
  const program = join(tempDir(t), 'render')
  try {
    const { go, env } = await goTools()
    const options = { env: { ...env, GO111MODULE: 'off', GOCACHE: join(tempDir(t), 'cache'), HOME: tempDir(t) } }
    await promisify(execFile)(go, ['build', '-o', program, join(root, 'test/deploy/helm/main.go')], options)
  } catch (error) {
    return `Go and Sprig cannot be had here, so the chart is not rendered: ${(error as Error).message}`
  }
  return async ({ values, release = 'parley', is_upgrade = false }) => {
    const { code, out, error } = await ask(program, { chart, release, namespace: 'talk', is_upgrade, values })
    if (code !== 0) return { error }
    const texts = Object.entries(JSON.parse(out) as Record<string, string>)
    const [notes = ['', '']] = texts.filter(([name]) => name.endsWith('NOTES.txt'))
    const documents = texts.filter((entry) => entry !== notes).flatMap(([, text]) => parseAllDocuments(text))
    const problem = documents.flatMap(({ errors }) => errors)[0]
    if (problem) throw problem
    return { objects: documents.flatMap((document) => document.toJS() ?? []), notes: notes[1] }
  }
}

async function goTools(): Promise<{ go: string; env: NodeJS.ProcessEnv }> {
  if (INSTALLED.every((path) => existsSync(path))) {
    return { go: INSTALLED[0]!, env: { PATH: process.env.PATH, GOPATH: '/usr/share/gocode' } }
  }
  const home = await unpacked('go', 'bookworm', (apt) =>
    apt('install', '--yes', '--download-only', '--no-install-recommends', ...PACKAGES),
  )
  const GOROOT = join(home, 'usr/lib/go-1.19')
  const env = { PATH: process.env.PATH, GOROOT, GOPATH: join(home, 'usr/share/gocode') }
  return { go: join(GOROOT, 'bin/go'), env }
}

async function ask(program: string, question: object): Promise<{ code: number; out: string; error: string }> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'pipe'] })
  let [out, error] = ['', '']
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (error += chunk))
  child.stdin.end(JSON.stringify(question))
  const code = await new Promise<number>((resolve) => child.on('close', resolve))
  return { code, out, error }
}
