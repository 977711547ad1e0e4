import { BY_BEHAVIOUR, type MagicRecipient, numberOfCode } from '../magic.ts'
import { listedCodes, titleOf } from './errors.ts'

/** Codes of temporary errors, with the number of failures before a message goes through. */
const RECOVERING: Record<number, { times: number; retry_after?: number }> = {
  1: { times: 2 },
  2: { times: 2 },
  4: { times: 1, retry_after: 1 },
  17: { times: 1, retry_after: 1 },
  32: { times: 1, retry_after: 1 },
  613: { times: 1, retry_after: 1 },
  1200: { times: 2 },
  80006: { times: 1, retry_after: 1 },
}

/** The recipients of WhatsApp's table by behaviour, and one for each code of pages. Statuses never fail here. */
export const PAGE_MAGIC: MagicRecipient[] = [
  ...listedCodes().map((code): MagicRecipient => {
    const { times, retry_after } = RECOVERING[code] ?? {}
    const error = retry_after === undefined ? { code } : { code, retry_after }
    const outcome = `error ${code}: ${titleOf(code)}`
    return { number: numberOfCode(code), outcome, behaviour: { error }, ...(times !== undefined && { times }) }
  }),
  ...BY_BEHAVIOUR.filter(({ behaviour }) => behaviour.statuses?.fail === undefined),
]
