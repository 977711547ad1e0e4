import t from 'tap'
import { Foreground } from '../../actors/mod.ts'

t.test('a sender is expected to write again for two seconds', (t) => {
  const foreground = new Foreground()
  t.notOk(foreground.isBusy(0))
  foreground.note(10_000)
  t.ok(foreground.isBusy(10_000))
  t.ok(foreground.isBusy(11_999))
  t.notOk(foreground.isBusy(12_000))
  t.end()
})
