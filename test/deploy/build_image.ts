import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Judge } from '../e2e/sink.ts'
import { root } from '../support/root.ts'
import { runProgram } from './podman.ts'

export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** Builds the image in a clone, with packages of the distribution that an earlier build kept in `debs`. */
export async function buildImage(t: Judge & { comment(text: string): void }, clone: string, debs?: string) {
  const program = [process.execPath, join(clone, 'deploy/image/build.ts'), ...(debs ? [debs] : [])]
  // Files that others may not read make the same image.
  const { code, stdout, stderr } = await runProgram('sh', ['-c', 'umask 077; exec "$@"', 'sh', ...program], {
    cwd: clone,
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  if (code !== 0) throw new Error(stderr)
  t.comment(stdout)
  const [, digest, compressed, unpacked] = /(sha256:\w{64})\n(\d+) MB compressed, (\d+) MB unpacked/.exec(stdout) ?? []
  const archive = join(clone, `dist/parley-${version}.oci.tar`)
  return { archive, digest, compressed: Number(compressed) * 1e6, unpacked: Number(unpacked) * 1e6 }
}
