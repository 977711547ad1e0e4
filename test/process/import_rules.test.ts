import t from 'tap'
import { type Import, importViolations, ormViolations, readImports } from '../checks/import_rules.ts'

const broken = (from: string, to: string): string[] => importViolations([{ from, to }])

t.test('rooms know only the rooms below them, through the door', (t) => {
  t.strictSame(broken('http/server/server.ts', 'actors/mod.ts'), [])
  t.strictSame(broken('http/server/server.ts', 'storage/mod.ts'), [])
  t.strictSame(broken('runtime/commit/lane.ts', 'runtime/servers/port.ts'), [])
  t.match(broken('http/server/server.ts', 'storage/database/database.ts'), [
    'http/server/server.ts imports storage/database/database.ts: enter',
  ])
  t.match(broken('storage/database/database.ts', 'runtime/mod.ts'), ['storage may not know runtime'])
  t.match(broken('runtime/mod.ts', 'test/support/mod.ts'), ['the product stands without test/'])
  t.end()
})

t.test('wings of http know only those on the floors below, and the server no feature', (t) => {
  t.strictSame(broken('http/routes/tokens/me.ts', 'http/server/route/route.ts'), [])
  t.strictSame(broken('http/server/server.ts', 'http/server/auth/token_cache.ts'), [])
  t.strictSame(broken('http/mod.ts', 'http/routes/table.ts'), [])
  t.match(broken('http/server/server.ts', 'http/console/session.ts'), ['server may not know console'])
  t.match(broken('http/admin/mod.ts', 'http/console/session.ts'), ['admin may not know console'])
  t.match(broken('http/app/serve.ts', 'http/cli/parley.ts'), ['app may not know cli'])
  t.match(broken('http/gate.ts', 'http/server/server.ts'), ['http has no wing gate.ts'])
  t.match(broken('http/app/serve.ts', 'http/mod.ts'), ['http has no wing mod.ts'])
  t.end()
})

t.test('folders of the page know only the floors below', (t) => {
  const page = (from: string, to: string) => broken(`http/console/page/${from}`, `http/console/page/${to}`)
  t.strictSame(page('app/sections.ts', 'board/mod.tsx'), [])
  t.strictSame(page('board/card.tsx', 'crm/rows.ts'), [])
  t.strictSame(page('board/card.tsx', 'board/cards.ts'), [])
  t.match(page('board/card.tsx', 'inbox/row.tsx'), ['board may not know inbox'])
  t.match(page('crm/rows.ts', 'inbox/row.tsx'), ['crm may not know inbox'])
  t.match(page('data/api.ts', 'ui/toast.ts'), ['data may not know ui'])
  t.match(page('games/mod.ts', 'ui/toast.ts'), ['the page has no folder games'])
  t.end()
})

t.test('the client is sealed', (t) => {
  t.strictSame(broken('http/client/mod.ts', 'http/client/pages.ts'), [])
  t.strictSame(broken('http/cli/connection/api.ts', 'http/client/mod.ts'), [])
  t.match(broken('http/client/mod.ts', 'http/server/log.ts'), ['knows nothing outside itself'])
  t.match(broken('http/app/parley.ts', 'http/client/mod.ts'), [
    'only http/cli/ and http/console/page/records/ may know the client',
  ])
  t.end()
})

t.test('the simulator is sealed', (t) => {
  t.strictSame(broken('http/simulator/main.ts', 'http/simulator/mod.ts'), [])
  t.strictSame(broken('http/app/demo/accounts.ts', 'http/simulator/mod.ts'), [])
  t.strictSame(broken('http/cli/simulate/simulate.ts', 'http/simulator/mod.ts'), [])
  t.match(broken('http/simulator/main.ts', 'http/server/log.ts'), ['knows nothing outside itself'])
  t.match(broken('http/simulator/main.ts', 'runtime/mod.ts'), ['knows nothing outside itself'])
  t.match(broken('http/routes/tokens/me.ts', 'http/simulator/mod.ts'), ['only http/app/demo/ and http/cli/ may know'])
  t.end()
})

t.test('http reaches the tables only through the names of storage', (t) => {
  const found = (file: string, text: string) => ormViolations([{ file, text }])
  t.match(found('http/admin/tags.ts', "\nimport { LockMode } from '@mikro-orm/core'"), [
    'http/admin/tags.ts:2 uses the ORM',
  ])
  t.match(found('http/admin/tags.ts', "import type { SqlEntityManager } from '@mikro-orm/postgresql'"), [
    /uses the ORM/,
  ])
  t.match(found('http/app/demo/crm.ts', 'await database.em().insert(Tag, tag)'), [/uses the ORM/])
  t.strictSame(found('http/admin/tags.ts', "import { storeTag } from '../../storage/mod.ts'"), [])
  t.strictSame(found('storage/setup/crm/tag.ts', 'database.em().transactional(work)'), [])
  t.end()
})

t.test('a circle is named once with its path', (t) => {
  const edge = (from: string, to: string): Import => ({ from, to })
  t.strictSame(importViolations([edge('http/app/a.ts', 'http/app/b.ts'), edge('http/app/b.ts', 'http/app/a.ts')]), [
    'circle: http/app/a.ts → http/app/b.ts → http/app/a.ts',
  ])
  t.end()
})

t.test('folders of the project actor are in no circle, even when their files are in none', (t) => {
  const edge = (from: string, to: string): Import => ({ from: `actors/project/${from}`, to: `actors/project/${to}` })
  t.strictSame(importViolations([edge('notes/a.ts', 'turn/b.ts'), edge('turn/a.ts', 'turn/b.ts')]), [])
  t.strictSame(importViolations([edge('notes/a.ts', 'turn/b.ts'), edge('turn/a.ts', 'notes/b.ts')]), [
    'circle: actors/project/notes → actors/project/turn → actors/project/notes',
  ])
  t.strictSame(importViolations([edge('features.ts', 'notes/feature.ts'), edge('notes/a.ts', 'protocol.ts')]), [
    'circle: actors/project → actors/project/notes → actors/project',
  ])
  t.end()
})

t.test('imports over several lines, of types and dynamic ones are seen', (t) => {
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
  t.match(from('actors/project/turn/turn.ts').sort(), [
    'actors/project/turn/records.ts',
    'actors/project/turn/state.ts',
    'runtime/mod.ts',
  ])
  t.end()
})

t.test('folders of a divided part are in no circle, even when their files are in none', (t) => {
  const edge = (from: string, to: string): Import => ({ from: `http/server/${from}`, to: `http/server/${to}` })
  t.strictSame(importViolations([edge('reply/a.ts', 'route/b.ts'), edge('reply/deep/a.ts', 'reply/b.ts')]), [])
  t.strictSame(importViolations([edge('reply/a.ts', 'route/b.ts'), edge('route/deep/a.ts', 'reply/c.ts')]), [
    'circle: http/server/reply → http/server/route → http/server/reply',
  ])
  t.strictSame(importViolations([edge('context.ts', 'route/a.ts'), edge('reply/a.ts', 'context.ts')]), [])
  t.strictSame(importViolations([edge('context.ts', 'route/a.ts'), edge('route/b.ts', 'context.ts')]), [
    'circle: http/server/context.ts → http/server/route → http/server/context.ts',
  ])
  t.end()
})
