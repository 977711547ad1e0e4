/** The compose set, as far as it can be judged without containers. */
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { blocksOf } from '../docs/markdown.ts'
import { tempDir } from '../support/mod.ts'
import { root } from '../support/root.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json'))

t.test('secrets are made once, for their owner alone', (t) => {
  const made = [tempDir(t), tempDir(t)].map((place) => {
    cpSync(join(root, 'deploy/compose'), place, { recursive: true })
    const run = () => execFileSync('sh', [join(place, 'secrets.sh')], { encoding: 'utf8' })
    t.match(run(), /keep a copy/)
    const kept = readFileSync(join(place, '.env'), 'utf8')
    t.match(run(), /stays as it is/)
    t.equal(readFileSync(join(place, '.env'), 'utf8'), kept)
    t.equal(statSync(join(place, '.env')).mode & 0o777, 0o600)
    return kept
  })
  const secrets = made.flatMap((text) => text.match(/(?<==)[0-9a-f]{64}$/gm) ?? [])
  t.equal(new Set(secrets).size, 8, 'four secrets in each, all different')
  t.end()
})

t.test('the set uses this release, settings that exist, and a name for each image', (t) => {
  const set = parse(read('deploy/compose/compose.yaml'), { merge: true })
  t.notMatch(read('deploy/compose/compose.yaml'), ':-}', 'podman-compose of Debian 12 takes an empty default for text')
  const described = read('docs/configuration.md')
  for (const name of Object.keys(set['x-node'].environment)) t.ok(described.includes(`| \`${name}\` |`), name)
  for (const [part, { image, restart }] of Object.entries<{ image: string; restart: string }>(set.services)) {
    t.match(image, /^\$\{\w+_IMAGE:-[\w./-]+:[\w.]+\}$/, part)
    t.equal(restart, 'always', part)
  }
  for (const node of ['parley-1', 'parley-2'])
    t.equal(set.services[node].environment.PARLEY_DEPLOYMENT_RELEASE, version)
  for (const node of ['parley-1', 'parley-2']) t.ok(set.services[node].image.endsWith(`:-parley:${version}}`))
  t.end()
})

t.test('the proxy is set up as docs/proxies.md describes Caddy', (t) => {
  const example = blocksOf(read('docs/proxies.md')).find(({ language }) => language === 'caddy')!.code
  const own = read('deploy/compose/Caddyfile').replace(/^#.*\n/gm, '')
  const placed = example
    .replace('parley.example.com', '{$PARLEY_HOSTNAME}')
    .replace(/(?:10\.[\d.]+:8080 ?)+/, 'parley-1:8080 parley-2:8080 ')
  t.equal(own, placed)
  t.end()
})
