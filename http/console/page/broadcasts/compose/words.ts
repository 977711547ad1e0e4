/** The words of the composing page. No DOM. */
import { timeLeft } from '../../ui/format/figures.ts'
import { number } from '../../ui/format/format.ts'

export function peopleText(count: number) {
  return count === 1 ? '1 recipient' : `${number(count)} recipients`
}

/** `about 2 min at 80 a second`. */
export function durationText({ seconds, per_second }: { seconds: number; per_second: number }) {
  const time = seconds < 5 ? 'a few seconds' : `about ${timeLeft(seconds)}`
  return `${time} at ${number(per_second)} a second`
}

/** The status of a template for people; undefined for one that can be sent. */
export function templateTrouble(status: string) {
  if (status === 'APPROVED') return undefined
  const words = status.toLowerCase().replaceAll('_', ' ')
  return `WhatsApp has not approved this template (${words}). Its messages will most likely fail.`
}

export function sentence(text: string) {
  const words = text.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
