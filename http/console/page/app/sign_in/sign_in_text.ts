/** Why signing in failed, as people read it. No DOM. */
import type { Fault } from '../../records/fault.ts'

/** The reason why signing in failed. */
export function signInText({ code, message, retry_after_s }: Fault) {
  if (code === 'UNAUTHORIZED') return 'The e-mail address or the password is not right.'
  if (code === 'SIGN_IN_THROTTLED') return `Too many attempts. Try again in ${waitText(retry_after_s ?? 60)}.`
  return message
}

function waitText(seconds: number) {
  if (seconds < 90) return seconds === 1 ? 'a second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
