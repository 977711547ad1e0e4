/** Files, folders and headings that the documents name exist. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { root } from '../support/root.ts'
import { anchorsOf, linksOf } from './markdown.ts'

const documents = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'test/**/*.md'], { cwd: root }).sort()
/** A code span that begins with a folder of the project. */
const PATH = /`((?:runtime|actors|http|storage|test|docs|deploy|\.ci)\/[\w./*-]*)`/g

t.ok(documents.length > 20, 'the documents are found')

for (const document of documents) {
  const text = readFileSync(join(root, document), 'utf8')

  t.test(`${document} names only what is there`, async (t) => {
    const paths = new Set([...text.matchAll(PATH)].map(([, path]) => path!))
    const missing = [...paths].filter((path) => globSync(path, { cwd: root }).length === 0)
    t.strictSame(missing, [], 'paths')
    const links = linksOf(text).filter((link) => !/^[a-z]+:/.test(link))
    t.strictSame(
      links.filter((link) => !leads(document, link)),
      [],
      'links',
    )
  })
}

/** True when the file of a relative link exists and has the heading that the link names. */
function leads(from: string, link: string): boolean {
  const [path, anchor] = link.split('#')
  const target = path ? join(root, dirname(from), path) : join(root, from)
  if (!existsSync(target)) return false
  return !anchor || !target.endsWith('.md') || anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
}
