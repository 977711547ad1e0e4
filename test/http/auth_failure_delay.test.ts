import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { AuthFailureDelay } from '../../http/server/auth/auth_failure_delay.ts'

t.test('the time of a failed answer does not tell when its cause was known', async (t) => {
  const auth_failure_delay = new AuthFailureDelay(800)
  for (let round = 0; round < 2; round++) {
    const arrived = performance.now()
    const left: { cause: string; turn: number }[] = []
    let turn = 0
    const counting = setInterval(() => turn++, 0)
    const hold = (cause: string) =>
      new Promise<void>((resolve) =>
        auth_failure_delay.hold(arrived, () => {
          left.push({ cause, turn })
          resolve()
        }),
      )
    const all = [hold('mangled')]
    await pause(3)
    all.push(hold('unknown'))
    await pause(4)
    all.push(hold('revoked'))
    await Promise.all(all)
    clearInterval(counting)
    t.equal(new Set(left.map(({ turn }) => turn)).size, 1, 'all leave in one turn of the event loop')
    t.ok(performance.now() - arrived >= 800)
  }
})

t.test('held answers leave at once when the server closes', async (t) => {
  const auth_failure_delay = new AuthFailureDelay(60_000)
  let left = 0
  auth_failure_delay.hold(performance.now(), () => left++)
  auth_failure_delay.hold(performance.now() - 10_000, () => left++)
  auth_failure_delay.flush()
  t.equal(left, 2)
})
