/**
 * The program of `npm run release`: writes all that one installs to `dist/release/<version>`, and the sums of it. `--draft` releases
 * what is not committed, too.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildImage, commitTime, CLONE } from '../image/image.ts'
import { sumOf } from '../image/oci.ts'
import { type ReleaseFile, releaseFiles } from './files.ts'

const is_draft = process.argv.includes('--draft')
const changed = execFileSync('git', ['status', '--porcelain'], { cwd: CLONE, encoding: 'utf8' }).trim()
if (changed && !is_draft) {
  process.stderr.write(`A release is made of a commit. Commit these, or say --draft:\n${changed}\n`)
  process.exit(1)
}

const began = performance.now()
const dist = join(CLONE, 'dist')
const debs = join(dist, 'debian')
// A release has the packages of today.
if (!is_draft) rmSync(debs, { recursive: true, force: true })
const { version, archive, bill, licences, digest } = await buildImage(debs)
const files: ReleaseFile[] = [
  ...releaseFiles(CLONE, version, commitTime()),
  { name: `parley-${version}.oci.tar`, content: archive },
  { name: `parley-${version}.cdx.json`, content: Buffer.from(bill) },
  { name: `parley-${version}.licences.txt`, content: Buffer.from(licences) },
].sort((a, b) => (a.name < b.name ? -1 : 1))

// A release that failed half-way is not there.
const place = join(dist, 'release', version)
const made = `${place}.new`
rmSync(made, { recursive: true, force: true })
mkdirSync(made, { recursive: true })
for (const { name, content } of files) writeFileSync(join(made, name), content)
writeFileSync(join(made, 'SHA256SUMS'), files.map(({ name, content }) => `${sumOf(content)}  ${name}\n`).join(''))
rmSync(place, { recursive: true, force: true })
renameSync(made, place)

const lines = files.map(({ name, content }) => `  ${(content.length / 1e6).toFixed(1).padStart(6)} MB  ${name}`)
process.stdout.write(
  `${relative(process.cwd(), place)}, made in ${((performance.now() - began) / 1000).toFixed(0)} s:\n${lines.join('\n')}\n` +
    `image parley:${version} ${digest}\n`,
)
