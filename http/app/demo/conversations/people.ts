/** The people of the demo: always the same ones for the same number, so that they come back after a restart. */

export type PersonDescription = {
  channel: string
  /** The id at the provider; of a visitor of the web chat, the number of the visitor. */
  from: string
  name: string
}

const FIRST = ['Ana', 'Luis', 'Marta', 'Ben', 'Chiara', 'Noor', 'Tom', 'Ines', 'Pavel', 'Yuki']
const LAST = ['Ríos', 'Vega', 'Keller', 'Okafor', 'Lindqvist', 'Moreau', 'Santos', 'Novak']

/** One place for each of ten people. */
const CHANNELS = [
  'whatsapp',
  'instagram',
  'whatsapp',
  'messenger',
  'web',
  'telegram',
  'whatsapp',
  'tiktok',
  'whatsapp',
  'email',
]

/** The numbers of the people on WhatsApp begin like this. */
export const PHONE_PREFIX = '1555770'

export function peopleOf(count: number): PersonDescription[] {
  return Array.from({ length: count }, (_, n) => {
    const channel = CHANNELS[n % CHANNELS.length]!
    const name = `${FIRST[n % FIRST.length]} ${LAST[(n * 3 + Math.floor(n / FIRST.length)) % LAST.length]}`
    return { channel, name, from: addressOf(channel, name, n) }
  })
}

function addressOf(channel: string, name: string, n: number): string {
  const number = String(n + 1).padStart(4, '0')
  if (channel === 'whatsapp') return `${PHONE_PREFIX}${number}`
  if (channel === 'telegram') return `51827${number}`
  if (channel === 'email') return `${name.split(' ')[0]!.toLowerCase()}.${n + 1}@example.com`
  return channel === 'web' ? String(n + 1) : `77002839471${number}`
}
