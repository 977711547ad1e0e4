import { BY_BEHAVIOUR, type MagicRecipient, numberOfCode } from '../magic.ts'
import { isAsynchronous, listedCodes, titleOf } from './requests/errors.ts'

/** Codes of temporary errors, with their course here. */
const RECOVERING: Record<number, { times: number; retry_after?: number }> = {
  1: { times: 2 },
  2: { times: 2 },
  4: { times: 1, retry_after: 1 },
  80007: { times: 1, retry_after: 1 },
  130429: { times: 1, retry_after: 1 },
  131000: { times: 2 },
  131016: { times: 2 },
  131056: { times: 1 },
  131057: { times: 2 },
  132069: { times: 1, retry_after: 1 },
}

/** Codes that cannot be caused by a recipient. */
const NOT_BY_RECIPIENT = new Set([2200, 2500])

function recipientOfCode(code: number): MagicRecipient {
  const number = numberOfCode(code)
  if (isAsynchronous(code))
    return {
      number,
      outcome: `200, then status failed ${code}: ${titleOf(code)}`,
      behaviour: { statuses: { fail: { code } } },
    }
  const recovering = RECOVERING[code]
  if (!recovering) return { number, outcome: `error ${code}: ${titleOf(code)}`, behaviour: { error: { code } } }
  const { times, retry_after } = recovering
  const after = retry_after === undefined ? '' : `, Retry-After ${retry_after} s`
  return {
    number,
    outcome: `error ${code}: ${titleOf(code)}${after}, ${times === 1 ? 'once' : 'twice'}, then accepted, and so on in turn`,
    behaviour: { error: retry_after === undefined ? { code } : { code, retry_after } },
    times,
  }
}

/** Every magic recipient, in the order of the table in docs/simulator.md. */
export const MAGIC_RECIPIENTS: MagicRecipient[] = [
  ...listedCodes()
    .filter((code) => !NOT_BY_RECIPIENT.has(code))
    .map(recipientOfCode),
  ...BY_BEHAVIOUR,
]
