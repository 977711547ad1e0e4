/** Why signing in failed, as people read it. No DOM. */

/** @typedef {import('../../page_types/fault.ts').Fault} Fault */

/**
 * The reason why signing in failed.
 *
 * @param {Fault} fault
 */
export function signInText({ code, message, retry_after_s }) {
  if (code === 'UNAUTHORIZED') return 'The e-mail address or the password is not right.'
  if (code === 'SIGN_IN_THROTTLED') return `Too many attempts. Try again in ${waitText(retry_after_s ?? 60)}.`
  return message
}

/** @param {number} seconds */
function waitText(seconds) {
  if (seconds < 90) return seconds === 1 ? 'a second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
