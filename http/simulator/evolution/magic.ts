import { BY_BEHAVIOUR, type MagicRecipient, numberOfCode } from '../magic.ts'

/** The number that is not registered with WhatsApp. */
export const NOT_ON_WHATSAPP = numberOfCode(404)

/** Recipients whose number alone determines the outcome of messages to it. */
export const PHONE_MAGIC: MagicRecipient[] = [
  { number: NOT_ON_WHATSAPP, outcome: 'error 400: the number is not on WhatsApp', behaviour: {} },
  {
    number: numberOfCode(428),
    outcome: 'error 400: Connection Closed, twice, then accepted, and so on in turn',
    behaviour: { error: { code: 400, message: 'Error: Connection Closed' } },
    times: 2,
  },
  {
    number: numberOfCode(500),
    outcome: 'error 500: the file could not be fetched',
    behaviour: { error: { code: 500, message: 'AxiosError: Request failed with status code 404' } },
  },
  ...BY_BEHAVIOUR.map((recipient) => ({ ...recipient, outcome: recipient.outcome.replace('failed 131026', 'ERROR') })),
]
