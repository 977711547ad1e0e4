/** The archives of images: other programs read them, and the same content makes the same bytes. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { directory, type Entries, entriesOf, file, link, tarOf } from '../../deploy/image/tar.ts'
import { tempDir } from '../support/mod.ts'

const LONG = `${'a-directory/'.repeat(12)}with-a-file-ü`
const entries: [string, ReturnType<typeof file>][] = [
  [LONG, file('far away')],
  ['bin/run', file('#!/bin/sh', 0o755)],
  ['data', directory(0o700, 10001)],
  ['here', link(`/${LONG}`)],
]

t.test('tar reads names of any length, modes, owners and links', (t) => {
  const archive = tarOf(new Map(entries), 1_790_000_000)
  const tar = (...args: string[]) => execFileSync('tar', args, { input: archive, encoding: 'utf8' })
  const listed = tar('--list', '--verbose', '--numeric-owner', '--quoting-style=literal', '--utc', '--full-time')
  t.match(listed, ` 8 2026-09-21 14:13:20 ${LONG}\n`)
  t.match(listed, /^-rwxr-xr-x 0\/0 +9 \S+ \S+ bin\/run$/m)
  t.match(listed, /^drwx------ 10001\/10001 +0 \S+ \S+ data\/$/m)
  t.match(listed, ` here -> /${LONG}\n`)
  t.equal(tar('--extract', '--to-stdout', LONG), 'far away')
  t.end()
})

t.test('the order in which entries come makes no difference', (t) => {
  const [one, other] = [entries, entries.toReversed()].map((list) => tarOf(new Map(list), 0))
  t.ok(one!.equals(other!))
  t.end()
})

t.test('files of a disk enter with one mode, whatever the umask was', (t) => {
  const [one, other]: Entries[] = [0o755, 0o700].map((mode) => {
    const place = tempDir(t)
    mkdirSync(join(place, 'bin'), { mode })
    writeFileSync(join(place, 'bin/run'), 'x')
    chmodSync(join(place, 'bin/run'), mode)
    symlinkSync('run', join(place, 'bin/also'))
    return entriesOf(place)
  })
  t.ok(tarOf(one!, 0).equals(tarOf(other!, 0)))
  t.end()
})
