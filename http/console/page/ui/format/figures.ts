/** Figures that only some sections show: shares, rates, durations. No DOM. */
import { number, numbers } from './format.ts'

const one_digit = numbers({ minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** Whole percents; 0 only for none, 100 only for all. */
export function percent(part: number, total: number) {
  if (total === 0 || part === 0) return '0%'
  const rounded = Math.round((100 * part) / total)
  if (rounded === 0) return '<1%'
  return rounded === 100 && part < total ? '>99%' : `${rounded}%`
}

/** `0.3/s`, `80/s`. */
export function perSecond(value: number) {
  return `${value < 9.95 ? one_digit.format(value) : number(Math.round(value))}/s`
}

/** `0.4 s`, `41 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(ms: number) {
  if (ms > 0 && ms < 950) return `${one_digit.format(ms / 1000)} s`
  const seconds = Math.round(Math.max(0, ms) / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The remaining time, rounded more coarsely the longer it is. */
export function timeLeft(seconds: number) {
  if (seconds < 5) return '<5 s'
  if (seconds < 55) return `${Math.ceil(seconds / 5) * 5} s`
  if (seconds < 3300) return `${Math.ceil(seconds / 60)} min`
  const minutes = Math.ceil(seconds / 600) * 10
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `USD 0.0305`. Prices of messages have more places than those of the currency. */
export function costText({ amount, currency }: { amount: number; currency: string }) {
  const style = { style: 'currency', currency, currencyDisplay: 'code', maximumFractionDigits: 4 } as const
  return numbers(style).format(amount)
}
