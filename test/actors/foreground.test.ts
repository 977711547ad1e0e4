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

t.test('the delay of writes is the mean since it was last taken', (t) => {
  const foreground = new Foreground()
  t.equal(foreground.takeDelay(), undefined)
  foreground.committed(2)
  foreground.committed(6)
  t.equal(foreground.delays, 2)
  t.equal(foreground.takeDelay(), 4)
  t.equal(foreground.takeDelay(), undefined)
  t.end()
})

t.test('a turn that somebody waits for counts once it is committed', (t) => {
  const foreground = new Foreground()
  const effects: (() => void)[] = []
  foreground.noteTurn({ after: (effect) => void effects.push(effect) })
  t.ok(foreground.isBusy(performance.now()))
  t.equal(foreground.delays, 0)
  for (const effect of effects) effect()
  t.equal(foreground.delays, 1)
  t.ok(foreground.takeDelay()! >= 0)
  t.end()
})
