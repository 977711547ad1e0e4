/**
 * Types of files that visitors may send, each with the endings that its name may have; the first is given to names without
 * one of them. Browsers show these types as what they are, or save them, and no system runs a file with such an ending.
 */
export const acceptedTypes: ReadonlyMap<string, readonly [string, ...string[]]> = new Map([
  ['image/jpeg', ['jpg', 'jpeg']],
  ['image/png', ['png']],
  ['image/webp', ['webp']],
  ['image/gif', ['gif']],
  ['image/heic', ['heic', 'heif']],
  ['video/mp4', ['mp4', 'm4v']],
  ['video/3gpp', ['3gp']],
  ['video/quicktime', ['mov']],
  ['video/webm', ['webm']],
  ['audio/mpeg', ['mp3']],
  ['audio/mp4', ['m4a', 'mp4']],
  ['audio/ogg', ['ogg', 'oga', 'opus']],
  ['audio/aac', ['aac']],
  ['audio/amr', ['amr']],
  ['audio/wav', ['wav']],
  ['audio/webm', ['webm', 'weba']],
  ['application/pdf', ['pdf']],
  ['application/msword', ['doc']],
  ['application/vnd.ms-excel', ['xls']],
  ['application/vnd.ms-powerpoint', ['ppt']],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', ['docx']],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ['xlsx']],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', ['pptx']],
  ['application/vnd.oasis.opendocument.text', ['odt']],
  ['application/vnd.oasis.opendocument.spreadsheet', ['ods']],
  ['application/vnd.oasis.opendocument.presentation', ['odp']],
  ['text/plain', ['txt', 'csv', 'md', 'log']],
  ['text/csv', ['csv']],
])
