/**
 * Real texts with known answers: the sections of the Markdown files of all installed packages. A section's heading is
 * the query, and the text under it, without the heading, is the one answer. Every copy with the same lock file has the
 * same texts.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TextSet } from './texts.ts'

const MIN_WORDS = 30
const MAX_CHARACTERS = 8_000
/** Queries are taken evenly from all that there are. */
const MAX_QUESTIONS = 1_000

export function readSections(root: string): TextSet {
  const texts: TextSet['texts'] = []
  const headings: string[] = []
  const seen = new Set<string>()
  for (const file of globSync('node_modules/**/*.md', { cwd: root }).sort()) {
    const name = file.replace('node_modules/', '').replace(/\.md$/i, '')
    for (const { heading, body } of sectionsOf(readFileSync(join(root, file), 'utf8'))) {
      const content = body.slice(0, MAX_CHARACTERS).toWellFormed().replaceAll('\0', '')
      if (content.split(/\s+/).length < MIN_WORDS || seen.has(content)) continue
      seen.add(content)
      headings.push(heading)
      texts.push({ id: String(texts.length), name, content })
    }
  }
  const counts = new Map<string, number>()
  for (const heading of headings) counts.set(heading, (counts.get(heading) ?? 0) + 1)
  const all = headings.flatMap((query, at) =>
    counts.get(query) === 1 && isQuestion(query) ? [{ query, answer: texts[at]!.id }] : [],
  )
  const step = Math.max(1, all.length / MAX_QUESTIONS)
  const questions = Array.from({ length: Math.min(all.length, MAX_QUESTIONS) }, (_, n) => all[Math.floor(n * step)]!)
  return { texts, questions }
}

/** Three words or more, and no release of a change log. */
function isQuestion(heading: string): boolean {
  return (heading.match(/\p{L}{3,}/gu) ?? []).length >= 3 && !/\d+\.\d+/.test(heading)
}

function* sectionsOf(text: string): Generator<{ heading: string; body: string }> {
  const lines = text.split('\n')
  let heading = ''
  let body: string[] = []
  let in_code = false
  for (const line of [...lines, '# ']) {
    if (/^\s*(```|~~~)/.test(line)) in_code = !in_code
    const found = in_code ? null : /^#{1,6} (.*)$/.exec(line)
    if (!found) body.push(line)
    else {
      if (heading) yield { heading, body: body.join('\n').trim() }
      heading = found[1]!.replace(/[`*_[\]#]|\(http[^)]*\)|<[^>]*>/g, '').trim()
      body = []
    }
  }
}
