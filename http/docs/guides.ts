/** The guides: the Markdown pages that the index of the documentation (`docs/README.md`) lists for readers of this site. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { type Resolve, titleOf } from './markdown.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const INDEX = 'docs/README.md'

/** Contributors have the repository. */
const NOT_SERVED = 'For contributors'

/** Pages outside `docs/`, with their names here. */
const ELSEWHERE: Record<string, string> = {
  'README.md': 'start',
  'CHANGELOG.md': 'changelog',
  'http/client/README.md': 'client',
}

export type GuideFile = {
  /** Its path below `/docs`: `webhooks`, `channels/whatsapp`. */
  name: string
  /** The file from the root of the repository. */
  file: string
  title: string
  summary: string
  /** The heading of the index. */
  group: string
}

/** A guide as it is written. */
export function sourceOf({ file }: { file: string }): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** All guides in the order of the index. A page that is listed twice belongs where it is listed first. */
export function listGuides(): GuideFile[] {
  const guides = new Map<string, GuideFile>()
  for (const { group, links } of groupsOf(sourceOf({ file: INDEX }))) {
    for (const link of links) {
      const file = join(dirname(INDEX), link)
      if (group === NOT_SERVED || !file.endsWith('.md') || guides.has(file)) continue
      guides.set(file, { name: nameOf(file), file, group, ...titleOf(sourceOf({ file })) })
    }
  }
  return [...guides.values()]
}

function groupsOf(index: string): { group: string; links: string[] }[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      group: part.split('\n', 1)[0]!.trim(),
      links: [...part.matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => link!),
    }))
}

function nameOf(file: string): string {
  return ELSEWHERE[file] ?? file.replace(/^docs\//, '').replace(/\.md$/, '')
}

/**
 * Resolves the links of a guide to addresses that are relative to its page. `suffix` is that of the pages: empty, or
 * `.md` for the source. Links to files that this site does not have lead nowhere.
 */
export function linksOf(guide: GuideFile, guides: readonly GuideFile[], suffix = ''): Resolve {
  return (href) => {
    if (/^[a-z]+:/.test(href)) return { href }
    const [path = '', anchor] = href.split('#')
    const end = anchor === undefined ? '' : `#${anchor}`
    if (path === '') return { href: end }
    const file = join(dirname(guide.file), path)
    if (file === INDEX) return { href: `${relativeTo(guide.name)}docs`, title: 'the documentation' }
    const target = guides.find((one) => one.file === file)
    if (target === undefined) return undefined
    return { href: `${relative(dirname(guide.name), target.name)}${suffix}${end}`, title: target.title }
  }
}

/** The way from the page `/docs/{name}` up to the root of the server. */
export function relativeTo(name: string): string {
  return name === '' ? '' : '../'.repeat(name.split('/').length)
}
