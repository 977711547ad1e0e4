/**
 * A preload (`node --import`) for processes whose wall clock is to be wrong. The clock is `SHIFTED_CLOCK_MS` ahead, and
 * after a SIGUSR2 `SHIFTED_CLOCK_THEN_MS`. A negative number puts the clock behind. The monotonic clock stays right.
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
