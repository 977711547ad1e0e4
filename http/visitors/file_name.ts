/**
 * The name under which an agent saves a file of a stranger. A system chooses by the ending what it does with a file, and
 * runs some, so a name ends as the bytes of the file allow, whatever it was.
 */
import { MAX_FILE_NAME_LENGTH } from '../../actors/mod.ts'
import { acceptedTypes } from './accepted_types.ts'

/** Names that are devices on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/** `name`: without a path and unprintable characters. Null when it has no other characters than dots and spaces. */
export function fileNameOf(name: string, mime_type: string): string | null {
  // Windows leaves out what follows a colon, and dots and spaces at the end; a dot at the beginning hides a file.
  const plain = withoutTail(name.replaceAll(':', '_').replace(/^[. ]+/, ''))
  if (plain === '') return null
  const safe = DEVICE.test(plain) ? `_${plain}` : plain
  const endings = acceptedTypes.get(mime_type)!
  const own = /\.([a-z0-9]{1,5})$/i.exec(safe)
  const is_fit = own !== null && endings.includes(own[1]!.toLowerCase())
  const [stem, ending] = is_fit ? [safe.slice(0, own.index), own[0]] : [safe, `.${endings[0]}`]
  return [...stem].slice(0, MAX_FILE_NAME_LENGTH - ending.length).join('') + ending
}

/** Takes linear time, which an expression for the end of a text does not. */
function withoutTail(name: string): string {
  let end = name.length
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end--
  return name.slice(0, end)
}
