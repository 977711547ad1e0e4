/** Names of media types: each type has one here, and older or private ones elsewhere. */

/** Other names, by the type's own as we give it. */
const SYNONYMS: Record<string, readonly string[]> = {
  'image/jpeg': [
    'image/jpg',
    'image/pjpeg',
    'image/x-jpeg',
    'image/x-jpg',
    'image/jpe',
    'image/jfif',
    'application/jpg',
    'application/jpeg',
  ],
  'image/png': ['image/x-png', 'image/vnd.mozilla.apng', 'application/png', 'application/x-png'],
  'image/gif': ['image/x-gif'],
  'image/webp': ['image/x-webp'],
  'image/bmp': ['image/x-bmp', 'image/x-ms-bmp', 'image/x-windows-bmp'],
  'image/tiff': ['image/x-tiff', 'image/tif', 'image/x-tif'],
  'image/heic': ['image/x-heic', 'image/heif'],
  'image/x-icon': ['image/vnd.microsoft.icon', 'image/ico'],
  'audio/mpeg': [
    'audio/mp3',
    'audio/x-mp3',
    'audio/mpeg3',
    'audio/x-mpeg-3',
    'audio/x-mpeg3',
    'audio/x-mpeg',
    'audio/mpg',
    'audio/x-mpg',
    'audio/mpa',
  ],
  'audio/mp4': ['audio/m4a', 'audio/x-m4a', 'audio/x-mp4', 'audio/mp4a-latm', 'audio/m4b', 'audio/x-m4b'],
  'audio/ogg': [
    'audio/opus',
    'application/ogg',
    'audio/x-ogg',
    'audio/vorbis',
    'audio/x-opus+ogg',
    'audio/x-opus',
    'audio/x-vorbis+ogg',
    'application/x-ogg',
  ],
  'audio/aac': ['audio/x-aac', 'audio/aacp', 'audio/x-hx-aac-adts', 'audio/vnd.dlna.adts'],
  'audio/amr': ['audio/x-amr', 'audio/amr-nb', 'audio/3gpp'],
  'audio/wav': ['audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'audio/x-pn-wav'],
  'audio/flac': ['audio/x-flac', 'application/flac'],
  'audio/webm': ['audio/x-webm'],
  'video/mp4': ['video/x-m4v', 'video/x-mp4', 'application/mp4', 'video/mpeg4', 'video/m4v'],
  'video/ogg': ['application/ogg', 'video/x-ogg', 'application/x-ogg', 'video/ogv'],
  'video/3gpp': ['video/3gp', 'audio/3gpp', 'video/x-3gpp'],
  'video/quicktime': ['video/x-quicktime', 'video/mov', 'video/qt'],
  'video/webm': ['video/x-webm'],
  'video/vnd.avi': ['video/avi', 'video/x-msvideo', 'video/msvideo'],
  'video/matroska': ['video/x-matroska'],
  'application/pdf': [
    'application/x-pdf',
    'application/acrobat',
    'applications/vnd.pdf',
    'text/pdf',
    'text/x-pdf',
    'application/vnd.pdf',
  ],
  'application/zip': [
    'application/x-zip-compressed',
    'application/x-zip',
    'application/zip-compressed',
    'multipart/x-zip',
  ],
  'application/gzip': ['application/x-gzip', 'application/x-gunzip', 'application/gzipped'],
  'application/x-rar-compressed': ['application/vnd.rar', 'application/x-rar', 'application/rar'],
  'application/x-7z-compressed': ['application/x-7z'],
  'application/rtf': ['text/rtf', 'application/x-rtf', 'text/richtext'],
  'application/msword': [
    'application/x-msword',
    'application/vnd.ms-word',
    'application/doc',
    'application/vnd.msword',
  ],
  'application/vnd.ms-excel': [
    'application/x-msexcel',
    'application/excel',
    'application/x-excel',
    'application/msexcel',
    'application/x-ms-excel',
    'application/xls',
  ],
  'application/vnd.ms-powerpoint': [
    'application/mspowerpoint',
    'application/powerpoint',
    'application/x-mspowerpoint',
    'application/ppt',
  ],
  'application/xml': ['text/xml', 'application/x-xml'],
  'application/json': ['text/json', 'text/x-json', 'application/x-json'],
  'text/csv': [
    'application/csv',
    'text/x-csv',
    'application/x-csv',
    'text/comma-separated-values',
    'text/x-comma-separated-values',
  ],
  'text/vcard': ['text/x-vcard', 'text/directory', 'application/vcard'],
  'text/calendar': ['text/x-vcalendar', 'application/ics', 'text/ics'],
  'text/plain': ['text/x-plain', 'application/txt', 'application/text'],
  'text/markdown': ['text/x-markdown', 'text/x-web-markdown'],
}

const TYPES_OF = new Map<string, string[]>()
for (const [type, others] of Object.entries(SYNONYMS)) {
  for (const other of others) TYPES_OF.set(other, [...(TYPES_OF.get(other) ?? []), type])
}

/** Types that programs name for a file of which they know nothing. */
const UNKNOWN = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-download',
  'application/download',
  'application/force-download',
  'application/x-binary',
  'application/binary',
  'application/unknown',
  'application/x-octet-stream',
  '*/*',
])

/** The type without parameters, in lower case. */
export function bareType(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

/** The parameter `charset` of a content type; null without one. */
export function charsetOf(content_type: string): string | null {
  return /;\s{0,9}charset\s{0,9}=\s{0,9}["']?([\w:.+-]{1,40})/i.exec(content_type.slice(0, 1_000))?.[1] ?? null
}

/** The types that a name stands for: its own first, as bytes are sniffed. `type`: bare. */
export function typesNamed(type: string): string[] {
  return [...(TYPES_OF.get(type) ?? []), type]
}

export function isUnknownType(type: string): boolean {
  return UNKNOWN.has(type)
}
