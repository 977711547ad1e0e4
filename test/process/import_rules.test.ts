import t from 'tap'
import { type Import, importViolations, readImports } from '../support/import_rules.ts'

const broken = (from: string, to: string, type_only = false): string[] => importViolations([{ from, to, type_only }])

t.test('rooms know only the rooms below them, through the door', (t) => {
  t.strictSame(broken('http/server.ts', 'actors/mod.ts'), [])
  t.strictSame(broken('http/server.ts', 'storage/mod.ts'), [])
  t.strictSame(broken('runtime/lane.ts', 'runtime/servers/port.ts'), [])
  t.match(broken('http/server.ts', 'storage/database.ts'), ['http/server.ts imports storage/database.ts: enter'])
  t.match(broken('storage/database.ts', 'runtime/mod.ts'), ['storage may not know runtime'])
  t.match(broken('storage/database.ts', 'runtime/mod.ts', true), ['storage may not know runtime'])
  t.match(broken('runtime/mod.ts', 'test/support/mod.ts'), ['the product stands without test/'])
  t.end()
})

t.test('a circle is named once with its path, a circle of types is none', (t) => {
  const edge = (from: string, to: string, type_only = false): Import => ({ from, to, type_only })
  t.strictSame(importViolations([edge('http/a.ts', 'http/b.ts'), edge('http/b.ts', 'http/a.ts')]), [
    'circle: http/a.ts → http/b.ts → http/a.ts',
  ])
  t.strictSame(importViolations([edge('http/a.ts', 'http/b.ts'), edge('http/b.ts', 'http/a.ts', true)]), [])
  t.end()
})

t.test('imports over several lines and dynamic ones are seen', (t) => {
  const imports = readImports(new URL('../..', import.meta.url).pathname)
  const from = (file: string) => imports.filter((found) => found.from === file).map(({ to }) => to)
  t.match(from('runtime/servers/start_servers.ts').sort(), [
    'runtime/log.ts',
    'runtime/servers/data_directory.ts',
    'runtime/servers/guardian.ts',
    'runtime/servers/nats.ts',
    'runtime/servers/port.ts',
    'runtime/servers/postgres.ts',
    'runtime/servers/server_process.ts',
  ])
  t.end()
})
