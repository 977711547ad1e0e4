/** An invitation (RFC 5545) as text, for a mail that has no other. */

const MAX_EVENTS = 20
const MAX_LINES = 20_000

const LABELS: [field: string, label: string][] = [
  ['SUMMARY', ''],
  ['DTSTART', 'Start: '],
  ['DTEND', 'End: '],
  ['DURATION', 'Duration: '],
  ['DUE', 'Due: '],
  ['RRULE', 'Repeated: '],
  ['RDATE', 'Repeated: '],
  ['LOCATION', 'Place: '],
  ['ORGANIZER', 'Organizer: '],
  ['ANSWER', 'Answer: '],
  ['STATUS', 'Status: '],
  ['COMMENT', 'Comment: '],
  ['URL', 'Link: '],
  ['DESCRIPTION', '\n'],
]

const METHODS: Record<string, string> = {
  REQUEST: 'Invitation',
  CANCEL: 'Cancellation of an appointment',
  REPLY: 'Answer to an invitation',
  COUNTER: 'Proposal of another time',
}

/** The text as it is when it holds no event. */
export function calendarText(text: string): string {
  const lines = text.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/, MAX_LINES)
  const events: Map<string, string>[] = []
  let is_cut = lines.length === MAX_LINES
  let method = ''
  /** Alarms and time zones inside or beside an event have fields of the same names. */
  let place: string[] = []
  for (const line of lines) {
    const [, name = '', params = '', value = ''] =
      /^([A-Za-z-]{1,40})((?:;[^":;]{0,200}(?:"[^"]{0,500}"[^":;]{0,200})?){0,20}):(.*)$/.exec(line) ?? []
    const field = name.toUpperCase()
    if (field === 'BEGIN') {
      place = [...place, value.trim().toUpperCase()].slice(-10)
      if (!isEvent(place.at(-1))) continue
      if (events.length === MAX_EVENTS) {
        is_cut = true
        break
      }
      events.push(new Map())
    } else if (field === 'END') place = place.slice(0, -1)
    else if (field === 'METHOD') method = value.trim().toUpperCase()
    else if (field === 'ATTENDEE' && method === 'REPLY') events.at(-1)?.set('ANSWER', answerOf(params, value))
    else if (isEvent(place.at(-1)) && name !== '' && !events.at(-1)!.has(field))
      events.at(-1)!.set(field, worded(field, params, value))
  }
  if (events.length === 0) return text
  const title = METHODS[method]
  return [...(title ? [title] : []), ...events.map(wordsOf), ...(is_cut ? ['[…]'] : [])].join('\n\n')
}

function isEvent(component = ''): boolean {
  return /^V(?:EVENT|TODO|JOURNAL)$/.test(component)
}

function wordsOf(event: Map<string, string>): string {
  return LABELS.flatMap(([field, label]) => (event.get(field) ? [label + event.get(field)] : [])).join('\n')
}

/** `accepted, Ina, ina@example.com` */
function answerOf(params: string, value: string): string {
  const status = /;PARTSTAT="?([\w-]{1,40})/i.exec(params)?.[1]?.toLowerCase().replaceAll('-', ' ')
  return [status, worded('ORGANIZER', params, value)].filter(Boolean).join(', ')
}

function worded(field: string, params: string, value: string): string {
  if (field === 'ORGANIZER') {
    const name = /;CN="?([^";]{1,200})/i.exec(params)?.[1]
    return [name, value.replace(/^mailto:/i, '')].filter(Boolean).join(', ')
  }
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d{0,2}(Z?))?$/.exec(value.trim()) ?? []
  if (year) {
    const zone = utc ? 'UTC' : (/;TZID="?([^";]{1,100})/i.exec(params)?.[1] ?? '')
    return [`${year}-${month}-${day}`, hour && `${hour}:${minute}`, hour && zone].filter(Boolean).join(' ')
  }
  return value.replaceAll(/\\([nN,;\\])/g, (_, letter: string) => (/n/i.test(letter) ? '\n' : letter)).trim()
}
