/**
 * Preloaded (`node --import`) by processes whose wall clock is to be wrong: it is `SHIFTED_CLOCK_MS` ahead, and from a
 * SIGUSR2 on `SHIFTED_CLOCK_THEN_MS`. Negative for behind. The monotonic clock goes as ever.
 */
const RightDate = Date
let ahead_ms = Number(process.env.SHIFTED_CLOCK_MS ?? 0)

const now = () => RightDate.now() + ahead_ms

globalThis.Date = new Proxy(RightDate, {
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  apply: (target) => new target(now()).toString(),
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, made === globalThis.Date ? target : made),
})

process.on('SIGUSR2', () => {
  ahead_ms = Number(process.env.SHIFTED_CLOCK_THEN_MS ?? 0)
})
