/**
 * The program of `npm run image`: writes `dist/parley-<version>.oci.tar`, and beside it what is in it and under which licences.
 * The first argument is a directory with packages of the distribution to use; those fetched are kept in `dist/debian`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildImage } from './image.ts'

const OUT = join(import.meta.dirname, '../../dist')
const [given] = process.argv.slice(2)
const debs = given ?? join(OUT, 'debian')
if (!given) rmSync(debs, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })

const began = performance.now()
const { archive, digest, compressed, unpacked, version, bill, licences } = await buildImage(debs)
const place = join(OUT, `parley-${version}`)
writeFileSync(`${place}.oci.tar`, archive)
writeFileSync(`${place}.cdx.json`, bill)
writeFileSync(`${place}.licences.txt`, licences)
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
const seconds = ((performance.now() - began) / 1000).toFixed(0)
process.stdout.write(
  `${relative(process.cwd(), place)}.oci.tar: parley:${version} ${digest}\n` +
    `${mb(compressed)} compressed, ${mb(unpacked)} unpacked, built in ${seconds} s\n`,
)
