/** The files of a page are built once from its sources, wherever they can be kept. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { builtPage } from '../../http/server/pages/built_page.ts'
import type { PageSource } from '../../http/server/pages/page_source.ts'
import { tempDir } from '../support/temp_dir.ts'

const run = promisify(execFile)
const PROGRAM = join(import.meta.dirname, '../../http/server/pages/built_page.ts')
const CODE = `const { builtPage } = await import(process.argv[1])
  console.log(JSON.stringify(builtPage(JSON.parse(process.argv[2]), process.argv[3])))`
/** Prints the files of a page: its source as JSON and a cache follow. */
const BUILD = ['--input-type=module', '-e', CODE, PROGRAM]

function makePage(): { source: PageSource; cache: string } {
  const directory = join(tempDir(t), 'page')
  mkdirSync(join(directory, 'later'), { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
  write('main.ts', `import { state } from './state.ts'\nstate.from = 'main'\nvoid import('./later/mod.ts')\n`)
  write('state.ts', `export const state: { from: string } = { from: '' }\n`)
  write('later/mod.ts', `import { state } from '../state.ts'\nexport const from = () => state.from\n`)
  write('page.css', `.shown { color: #ff0000 }\n`)
  const source = { name: 'page', directory, first: ['main.ts'], styles: ['page.css'] }
  return { source, cache: join(directory, '../cache') }
}

t.test('a module that is imported later is a file beside the first, and shares its modules', async (t) => {
  const { source, cache } = makePage()
  const files = builtPage(source, cache)
  t.same(Object.keys(files).sort(), ['later.js', 'later.js.map', 'main.js', 'main.js.map', 'page.css'])
  const out = join(source.directory, '../out')
  mkdirSync(out)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(out, name), content)
  writeFileSync(join(out, 'package.json'), '{"type":"module"}')
  const { from } = await import(join(out, 'later.js'))
  await import(join(out, 'main.js'))
  t.equal(from(), 'main')
})

t.test('the same sources are the same files in every directory, and do not tell which', (t) => {
  const [one, other] = [makePage(), makePage()]
  const files = builtPage(one.source, one.cache)
  t.same(files, builtPage(other.source, other.cache))
  const { sources } = JSON.parse(files['later.js.map']!) as { sources: string[] }
  t.match(sources.join(), /later\/mod\.ts/)
  t.notMatch(Object.values(files).join(), one.source.directory.slice(1))
  t.end()
})

t.test('the files are the same wherever the process was started', async (t) => {
  const build = async (cwd: string) => {
    const { source, cache } = makePage()
    const started = { ...source, first: ['main.ts', 'state.ts'] }
    return (await run(process.execPath, [...BUILD, JSON.stringify(started), cache], { cwd })).stdout
  }
  t.equal(await build('/'), await build(import.meta.dirname))
})

t.test('what was built is kept until a source changes', (t) => {
  const { source, cache } = makePage()
  const kept = () => statSync(join(cache, 'page.json')).mtimeMs
  const first = builtPage(source, cache)
  const at = kept()
  t.same(builtPage(source, cache), first)
  t.equal(kept(), at)
  writeFileSync(join(source.directory, 'page.css'), '.shown { color: #00ff00 }')
  t.match(builtPage(source, cache)['page.css'], /#0f0/)
  t.end()
})

t.test('where nothing can be kept, the page is there all the same', (t) => {
  const { source } = makePage()
  const no_directory = join(source.directory, 'page.css')
  t.match(builtPage(source, no_directory)['page.css'], /red/)
  t.end()
})

t.test('processes that start together have the same files, and leave no drafts', async (t) => {
  const { source, cache } = makePage()
  const build = () => run(process.execPath, [...BUILD, JSON.stringify(source), cache])
  const [one, other] = await Promise.all([build(), build()])
  t.equal(one.stdout, other.stdout)
  t.same(readdirSync(cache), ['page.json'])
})

t.test('a source that cannot be understood says where', (t) => {
  const { source, cache } = makePage()
  writeFileSync(join(source.directory, 'state.ts'), 'export const state =')
  t.throws(() => builtPage(source, cache), /state\.ts:1/)
  t.end()
})
