/** The words of the composing page. No DOM. */
import { timeLeft } from '../../ui/figures.js'
import { number } from '../../ui/format.js'

/** @param {number} count */
export function peopleText(count) {
  return count === 1 ? '1 recipient' : `${number(count)} recipients`
}

/**
 * `about 2 min at 80 a second`.
 *
 * @param {{ seconds: number, per_second: number }} estimate
 */
export function durationText({ seconds, per_second }) {
  const time = seconds < 5 ? 'a few seconds' : `about ${timeLeft(seconds)}`
  return `${time} at ${number(per_second)} a second`
}

/**
 * The status of a template for people; undefined for one that can be sent.
 *
 * @param {string} status
 */
export function templateTrouble(status) {
  if (status === 'APPROVED') return undefined
  const words = status.toLowerCase().replaceAll('_', ' ')
  return `WhatsApp has not approved this template (${words}). Its messages will most likely fail.`
}

/**
 * @param {string} text
 */
export function sentence(text) {
  const words = text.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
