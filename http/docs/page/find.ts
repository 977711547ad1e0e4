/** The search itself: which entries a question finds, in which order. No DOM. */

/** A part of a guide, an operation or an event. `words` has each word once, `says` is its beginning. */
export type Entry = { path: string; anchor?: string; title: string; place: string; words: string; says?: string }

/** Words of a question beyond these are left out. */
const MAX_WORDS = 8
/** Characters of a word that are compared. */
const MAX_WORD_LENGTH = 40

/** Other words for what the pages call differently. Spanish ones are those that people ask with. */
const SYNONYMS: Record<string, string[]> = {
  pagination: ['next_cursor', 'cursor'],
  paginate: ['next_cursor', 'cursor'],
  paging: ['next_cursor', 'cursor'],
  claude: ['mcp'],
  chatgpt: ['mcp'],
  cursor: ['next_cursor', 'mcp'],
  sdk: ['client'],
  library: ['client'],
  npm: ['client'],
  node: ['typescript', 'javascript'],
  nodejs: ['typescript', 'javascript'],
  authentication: ['token'],
  auth: ['token'],
  apikey: ['token'],
  throttling: ['rate', 'throttled'],
  429: ['throttled', 'rate'],
  401: ['unauthenticated'],
  campaign: ['broadcast'],
  bulk: ['broadcast'],
  deal: ['ticket'],
  label: ['tag'],
  rag: ['knowledge'],
  livechat: ['web'],
  widget: ['web'],
  gdpr: ['erasure', 'rights'],
  verificar: ['verify'],
  firma: ['signature'],
  firmas: ['signature'],
  enviar: ['send'],
  mensaje: ['message'],
  mensajes: ['message'],
  plantilla: ['template'],
  plantillas: ['template'],
  contacto: ['contact'],
  contactos: ['contact'],
  cliente: ['customer', 'client'],
  clientes: ['customer'],
  cita: ['appointment'],
  citas: ['appointment'],
  campaña: ['broadcast'],
  error: ['errors'],
  errores: ['error'],
  codigo: ['code'],
  codigos: ['code'],
  limite: ['limit'],
  limites: ['limit'],
  archivo: ['file', 'media'],
  archivos: ['file', 'media'],
  canal: ['channel'],
  canales: ['channel'],
  etiqueta: ['tag'],
  etiquetas: ['tag'],
  etapa: ['stage'],
  agente: ['agent'],
  agentes: ['agent'],
  asistente: ['assistant'],
  conocimiento: ['knowledge'],
  respaldo: ['backup'],
  instalar: ['production', 'install'],
  paginacion: ['next_cursor', 'cursor'],
  permisos: ['scope', 'permission'],
  clave: ['key', 'token'],
  correo: ['e-mail', 'email'],
  puntos: ['loyalty', 'points'],
}
const FILLERS = new Set([
  'a',
  'al',
  'como',
  'con',
  'de',
  'del',
  'el',
  'en',
  'la',
  'los',
  'para',
  'por',
  'the',
  'to',
  'un',
  'una',
])

/**
 * Entries in which every word of the question, or another word for it, begins a word; the best first. A word that begins
 * none anywhere is taken as a mistyped one.
 */
export function find(entries: Entry[], question: string) {
  const asked = plain(question)
    .split(/[\s,;:?!"'()]+/)
    .filter(Boolean)
  const telling = asked.filter((word) => !FILLERS.has(word))
  const words = (telling.length > 0 ? telling : asked).slice(0, MAX_WORDS).map((word) => word.slice(0, MAX_WORD_LENGTH))
  if (words.length === 0) return []
  const known = vocabularyOf(entries)
  const alternatives = words.map((word) => alternativesOf(word, known))
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, alternatives, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => entry)
}

/** Lower case, without accents. */
function plain(text: string) {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

const vocabularies: WeakMap<Entry[], string[]> = new WeakMap()

/** All words of the entries. */
function vocabularyOf(entries: Entry[]) {
  const known = vocabularies.get(entries)
  if (known) return known
  const made = new Set(entries.flatMap(({ title, words }) => `${title.toLowerCase()} ${words}`.split(/[\s_./{}-]+/)))
  const list = [...made]
  vocabularies.set(entries, list)
  return list
}

function alternativesOf(word: string, known: string[]) {
  const others = SYNONYMS[word] ?? []
  const parts = word.split(/[_./{}-]+/).filter(Boolean)
  if (others.length > 0 || parts.every((part) => known.some((one) => one.startsWith(part)))) return [word, ...others]
  return [word, ...nearest(word, known)]
}

/** The words whose beginnings differ from this one by the fewest letters: by one, in long words by two at most. */
function nearest(word: string, known: string[]) {
  if (word.length < 4) return []
  let least = word.length < 8 ? 1 : 2
  let found: string[] = []
  for (const one of known) {
    // Digits are no slips: a status is another one.
    if (one.length < word.length - 2 || /\d/.test(one)) continue
    const distance = distanceOf(word, one.slice(0, word.length + 2))
    if (distance > least) continue
    if (distance < least) found = []
    least = distance
    found.push(one)
  }
  return found
}

/**
 * The letters to change, add or leave out, two exchanged ones counted as one, until `word` is a beginning of `other`.
 */
function distanceOf(word: string, other: string) {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [row, letter] of [...word].entries()) {
    let left = row + 1
    const next = [left]
    for (let at = 1; at <= other.length; at++) {
      const is_same = letter === other[at - 1]
      const is_exchange = row > 0 && at > 1 && letter === other[at - 2] && word[row - 1] === other[at - 1]
      const changed = (last[at - 1] ?? Infinity) + (is_same ? 0 : 1)
      const exchanged = is_exchange ? (before[at - 2] ?? Infinity) + 1 : Infinity
      left = Math.min(changed, (last[at] ?? Infinity) + 1, left + 1, exchanged)
      next.push(left)
    }
    before = last
    last = next
  }
  return Math.min(...last)
}

/** @param alternatives For each word of the question, the words that will do. */
function scoreOf(entry: Entry, alternatives: string[][], asked: string[]) {
  const name = entry.title.toLowerCase()
  // Whole guides come before their parts.
  let score = entry.anchor === undefined ? 1 : 0
  for (const words of alternatives) {
    const best = Math.max(...words.map((word, at) => wordScore(entry, name, word) - (at > 0 ? 1 : 0)))
    if (best <= 0) return 0
    score += best
  }
  return name === asked.join(' ') || name.replaceAll('_', ' ') === asked.join(' ') ? score + 20 : score
}

function wordScore({ path, anchor, words: text }: Entry, name: string, word: string) {
  if (name === word) return 20
  // A guide is also known by its name in the address.
  if (path === word && anchor === undefined) return 12
  if (name.startsWith(word)) return 10
  if (new RegExp(`(?:^|[\\s_./{@-])${escaped(word)}`).test(name)) return 6
  return text.startsWith(word) || text.includes(` ${word}`) ? 2 : 0
}

function escaped(word: string) {
  return word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
