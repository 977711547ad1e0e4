import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { reachedTests } from '../run/reach.ts'

const tree = {
  'package.json': '{}',
  'storage/mod.ts': '',
  'runtime/commit/lane.ts': "import '../../storage/mod.ts'",
  'http/console/page/main.js': '',
  'docs/cli.md': '',
  'test/a.test.ts': "import '../runtime/commit/lane.ts'",
  'test/b.test.ts': "new URL('../http/console/page', import.meta.url)",
  'test/c.test.ts': "read(join(root, 'docs/cli.md'))",
  'test/d.test.ts': "const room = 'storage'",
}

t.test('a change reaches the tests that use a file, through others and by its name', async (t) => {
  const root = t.testdir()
  for (const [file, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const reached = (...changed: string[]) => reachedTests(root, Object.keys(tree), changed)
  t.same(reached('storage/mod.ts'), ['test/a.test.ts'])
  t.same(reached('http/console/page/main.js'), ['test/b.test.ts'])
  t.same(reached('docs/cli.md'), ['test/c.test.ts'])
  t.same(reached('test/d.test.ts'), ['test/d.test.ts'], 'a test reaches itself')
  t.equal(reached('package.json').length, 4, 'the packages are everywhere')
  t.same(reached(), [])
})
