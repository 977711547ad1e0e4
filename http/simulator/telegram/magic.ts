import { BY_BEHAVIOUR, type MagicRecipient, numberOfCode } from '../magic.ts'

/** Chats whose id alone determines the outcome. Telegram has no statuses, so those about statuses are left out. */
export const CHAT_MAGIC: MagicRecipient[] = [
  { number: numberOfCode(400), outcome: 'error 400: chat not found', behaviour: { error: { code: 400 } } },
  { number: numberOfCode(401), outcome: 'error 401: Unauthorized', behaviour: { error: { code: 401 } } },
  {
    number: numberOfCode(403),
    outcome: 'error 403: bot was blocked by the user',
    behaviour: { error: { code: 403 } },
  },
  {
    number: numberOfCode(429),
    outcome: 'error 429, retry_after 1 s, once, then accepted, and so on in turn',
    behaviour: { error: { code: 429, retry_after: 1 } },
    times: 1,
  },
  {
    number: numberOfCode(500),
    outcome: 'error 500: Internal Server Error, twice, then accepted, and so on in turn',
    behaviour: { error: { code: 500 } },
    times: 2,
  },
  ...BY_BEHAVIOUR.filter(({ behaviour }) => behaviour.statuses === undefined && Object.keys(behaviour).length > 0).map(
    (recipient) => ({ ...recipient, outcome: recipient.outcome.replace('; statuses come', '') }),
  ),
]
