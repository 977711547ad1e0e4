/**
 * The files of the console's page as this node serves them. They have one name together, the release: it changes with
 * any of them, and is part of their addresses. So browsers keep files for good, and files of two releases never meet.
 */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Compressed } from '../server/files/compressed.ts'
import { builtPage } from '../server/pages/built_page.ts'
import { mapAt, type PageFile, pageFileOf } from '../server/reply/page_files.ts'
import { consoleSource } from './page_source.ts'

const { directory } = consoleSource
/** It belongs to no release. */
const BOOT = 'boot.js'
/** The scripts and the styles of the first view. */
const FIRST_SCRIPTS = ['main.js', 'inbox.js']
const FIRST_STYLE = 'first.css'

export type ReleaseFile = PageFile & { compressed: Compressed }

export type Release = {
  name: string
  /** The files by name, such as `board.js`. */
  files: ReadonlyMap<string, ReleaseFile>
  /** The page itself. */
  page: ReleaseFile
  boot: ReleaseFile
  /** The scripts that are loaded before the inbox is seen. */
  first_scripts: readonly string[]
}

let release: Release | undefined

/** Reads the files once in a process: several nodes may run in one. */
export function readRelease(): Release {
  release ??= makeRelease()
  return release
}

function makeRelease(): Release {
  const { [BOOT]: boot = '', ...built } = builtPage(consoleSource)
  const contents = new Map(Object.entries(built))
  for (const name of globSync('*.svg', { cwd: directory }))
    contents.set(name, readFileSync(join(directory, name), 'utf8'))
  const template = readFileSync(join(directory, 'page.html'), 'utf8')
  const hash = createHash('sha256').update(template)
  for (const [name, content] of [...contents].sort()) hash.update(`\0${name}\0${content}`)
  const name = hash.digest('hex').slice(0, 16)
  return {
    name,
    files: new Map([...contents].map(([place, content]) => [place, served(place, content)])),
    page: served('page.html', pageOf(template, name)),
    boot: served(BOOT, mapAt(`files/${name}/`, boot)),
    first_scripts: FIRST_SCRIPTS,
  }
}

function served(name: string, content: string): ReleaseFile {
  const file = pageFileOf(name, content)
  return { ...file, compressed: new Compressed(file.body) }
}

/** Fills in the release and the files of the first view. */
function pageOf(template: string, release: string): string {
  const at = `console/files/${release}/`
  const lines = [
    `<meta name="release" content="${release}">`,
    `<link rel="icon" href="${at}icon.svg" type="image/svg+xml">`,
    `<link rel="stylesheet" href="${at}${FIRST_STYLE}">`,
    ...FIRST_SCRIPTS.map((name) => `<link rel="modulepreload" href="${at}${name}">`),
  ]
  return template.replace('<!-- files -->', lines.join('\n    '))
}
